#include "front/authority.h"
#include "base/mem.h"
#include "base/str.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

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
