#include "front/http.h"
#include "base/mem.h"
#include "base/str.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

int http_load(struct http *http, struct err *err)
{
    static const char library[] = "libmicrohttpd.so.12";
    static const struct {
        const char *name;
        size_t field;
    } functions[] = {
        {"MHD_start_daemon", offsetof(struct http, start_daemon)},
        {"MHD_stop_daemon", offsetof(struct http, stop_daemon)},
        {"MHD_run", offsetof(struct http, run)},
        {"MHD_add_connection", offsetof(struct http, add_connection)},
        {"MHD_get_connection_info", offsetof(struct http, get_connection_info)},
        {"MHD_get_timeout", offsetof(struct http, get_timeout)},
        {"MHD_get_daemon_info", offsetof(struct http, get_daemon_info)},
        {"MHD_create_response_from_buffer", offsetof(struct http, create_response_from_buffer)},
        {"MHD_add_response_header", offsetof(struct http, add_response_header)},
        {"MHD_destroy_response", offsetof(struct http, destroy_response)},
        {"MHD_queue_response", offsetof(struct http, queue_response)},
        {"MHD_lookup_connection_value", offsetof(struct http, lookup_connection_value)},
        {"MHD_get_connection_values", offsetof(struct http, get_connection_values)},
        {"MHD_http_unescape", offsetof(struct http, http_unescape)},
    };
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return err_set(err, "cannot listen: no '%s' here; install libmicrohttpd", library);
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        void *function = dlsym(handle, functions[i].name);
        if (!function)
            return err_set(err, "cannot listen: '%s' has no %s", library, functions[i].name);
        memcpy((char *)http + functions[i].field, &function, sizeof(function));
    }
    return 0;
}

/* ---- Accept ---- */

static const char BLANKS[] = " \t";

/* Takes the next part off a list, without blanks around it; NULL after the last. */
static char *next_part(char **list, const char *separator)
{
    char *part = strsep(list, separator);
    if (!part)
        return NULL;
    part += strspn(part, BLANKS);
    size_t length = strlen(part);
    while (length && strchr(BLANKS, part[length - 1]))
        part[--length] = '\0';
    return part;
}

/* The value of a parameter `key=value`, without quotes; NULL if the key differs. */
static char *accept_value_of(char *parameter, const char *key)
{
    size_t length = strlen(key);
    if (strncasecmp(parameter, key, length) != 0 || parameter[length] != '=')
        return NULL;
    char *value = parameter + length + 1;
    if (*value == '"') {
        value++;
        value[strcspn(value, "\"")] = '\0';
    }
    return value;
}

/* The weight of a media range, 0 to 1; 0 for unknown versions of OpenMetrics. */
static double weight(char *parameters, bool openmetrics)
{
    double weight = 1;
    char *parameter, *value;
    while ((parameter = next_part(&parameters, ";"))) {
        if ((value = accept_value_of(parameter, "q")))
            weight = str_to_double(value, &weight) && weight >= 0 && weight <= 1 ? weight : 0;
        else if (openmetrics && (value = accept_value_of(parameter, "version")) &&
                 strcmp(value, "1.0.0") != 0 && strcmp(value, "0.0.1") != 0)
            return 0;
    }
    return weight;
}

bool accept_openmetrics(const char *accept)
{
    char *copy = mem_strdup(accept ? accept : ""), *list = copy, *range;
    double openmetrics = 0, plain = 0;
    while ((range = next_part(&list, ","))) {
        char *type = next_part(&range, ";");
        bool wanted = strcasecmp(type, "application/openmetrics-text") == 0;
        double *best = wanted ? &openmetrics : &plain;
        if (!wanted && strcasecmp(type, "text/plain") != 0)
            continue;
        double found = weight(range, wanted);
        *best = found > *best ? found : *best;
    }
    free(copy);
    return openmetrics > 0 && openmetrics >= plain;
}

/* ---- Host ---- */

static bool is_own(char *host, const char *name)
{
    struct in6_addr six;
    struct in_addr four;
    unsigned long long port;
    char *colon = strrchr(host, ':'), *bracket = strrchr(host, ']');
    if (colon && (!bracket || colon > bracket)) {
        if (!str_to_u64(colon + 1, 0, 65535, &port))
            return false;
        *colon = '\0';
    }
    if (*host == '[') {
        size_t length = strlen(host);
        if (host[length - 1] != ']')
            return false;
        host[length - 1] = '\0';
        return inet_pton(AF_INET6, host + 1, &six) == 1;
    }
    return inet_pton(AF_INET, host, &four) == 1 || strcasecmp(host, "localhost") == 0 ||
           (*name && strcasecmp(host, name) == 0);
}

bool authority_is_own(const char *host, const char *name)
{
    if (!host)
        return true;
    char *copy = mem_strdup(host);
    bool own = is_own(copy, name);
    free(copy);
    return own;
}
