#include "front/listen.h"

#include <arpa/inet.h>

/* ---- requests ---- */

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

/* Whether a text has a control character, which no request may have (RFC 9110, 5.5), or another. */
static bool is_odd(const char *text, const char *others)
{
    while (*text && ((unsigned char)*text >= ' ' || *text == '\t') && *text != '\x7f' &&
           !strchr(others, *text))
        text++;
    return *text;
}

/* Takes the next line off a text; NULL after the last. */
static char *next_line(char **text)
{
    char *line = *text, *end = line ? strstr(line, "\r\n") : NULL;
    *text = end ? end + strlen("\r\n") : NULL;
    if (end)
        *end = '\0';
    return line;
}

/* Decodes %XX; false for a zero byte, which would end the path. */
static bool decode_path(char *path)
{
    char *to = path;
    for (const char *from = path; *from; from++, to++) {
        char digits[3] = {from[0] == '%' ? from[1] : '\0', from[1] ? from[2] : '\0'}, *end;
        long code = strtol(digits, &end, 16);
        bool coded = strspn(digits, "0123456789abcdefABCDEF") == 2;
        if (coded && code == 0)
            return false;
        *to = coded ? (char)code : *from;
        from += coded ? 2 : 0;
    }
    *to = '\0';
    return true;
}

/* Proxies send an absolute target, whose host counts, not the header's (RFC 9112, 3.2.2). */
static bool read_target(struct http_request *request, char *target)
{
    static const char scheme[] = "http://";
    size_t length = strlen(scheme);
    target[strcspn(target, "?")] = '\0';
    request->path = target;
    if (strncasecmp(target, scheme, length) == 0) {
        char *path = strchrnul(target + length, '/');
        request->host = memmove(target, target + length, (size_t)(path - target) - length);
        target[(size_t)(path - target) - length] = '\0';
        request->path = *path ? path : "/";
        target = path;
    }
    return decode_path(target);
}

bool http_request_read(struct http_request *request, char *header, size_t length)
{
    size_t hosts = 0, lengths = 0;
    *request = (struct http_request){0};
    header[length - strlen("\r\n\r\n")] = '\0';
    if (strlen(header) != length - strlen("\r\n\r\n"))
        return false;
    char *line = next_line(&header);
    request->method = strsep(&line, " ");
    char *target = strsep(&line, " ");
    bool old = line && strcmp(line, "HTTP/1.0") == 0;
    if (!line || (!old && strcmp(line, "HTTP/1.1") != 0) || is_odd(request->method, "\t") ||
        is_odd(target, "\t") || !read_target(request, target))
        return false;
    const char *own_host = NULL;
    request->last = old;
    while ((line = next_line(&header))) {
        char *name = strsep(&line, ":");
        if (!line || !*name || is_odd(name, " \t") || is_odd(line, ""))
            return false;
        char *value = next_part(&line, "\n");
        if (strcasecmp(name, "Host") == 0) {
            own_host = value;
            hosts++;
        } else if (strcasecmp(name, "Accept") == 0) {
            request->accept = request->accept ? request->accept : value;
        } else if (strcasecmp(name, "Connection") == 0) {
            request->last |= strcasestr(value, "close") != NULL;
        } else if (strcasecmp(name, "Transfer-Encoding") == 0) {
            if (strcasecmp(value, "chunked") != 0)
                return false;
            lengths++;
            request->last = true;
        } else if (strcasecmp(name, "Content-Length") == 0) {
            lengths++;
            request->last |= strcmp(value, "0") != 0;
        }
    }
    request->host = request->host ? request->host : own_host;
    return hosts + old >= 1 && hosts <= 1 && lengths <= 1;
}

/* ---- Accept ---- */

/* The weight of a media range, 0 to 1; 0 for unknown versions of OpenMetrics. */
static double weight(char *parameters, bool openmetrics)
{
    double weight = 1;
    char *value;
    while ((value = next_part(&parameters, ";"))) {
        const char *key = strsep(&value, "=");
        if (value && *value == '"') {
            value++;
            value[strcspn(value, "\"")] = '\0';
        }
        if (value && strcasecmp(key, "q") == 0)
            weight = str_to_double(value, &weight) && weight >= 0 && weight <= 1 ? weight : 0;
        else if (value && openmetrics && strcasecmp(key, "version") == 0 &&
                 strcmp(value, "1.0.0") != 0 && strcmp(value, "0.0.1") != 0)
            return 0;
    }
    return weight;
}

bool accept_openmetrics(const char *accept)
{
    AUTO_FREE char *copy = mem_strdup(accept ? accept : "");
    char *list = copy, *range;
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
    AUTO_FREE char *copy = mem_strdup(host);
    return is_own(copy, name);
}
