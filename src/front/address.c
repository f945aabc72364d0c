#include "front/address.h"
#include "base/mem.h"
#include "base/str.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>

static const char LOOPBACK[] = "127.0.0.1", UNIX[] = "unix:", SYSTEMD[] = "systemd";

static bool set_address(struct address *address, const char *host, in_port_t port)
{
    struct sockaddr_in *four = (struct sockaddr_in *)&address->storage;
    struct sockaddr_in6 *six = (struct sockaddr_in6 *)&address->storage;
    *address = (struct address){.length = sizeof(*four)};
    if (strcmp(host, "localhost") == 0)
        host = LOOPBACK;
    if (inet_pton(AF_INET, host, &four->sin_addr) == 1) {
        four->sin_family = AF_INET;
        four->sin_port = htons(port);
        return true;
    }
    size_t length = strlen(host);
    if (*host != '[' || host[length - 1] != ']')
        return false;
    char *inside = mem_strndup(host + 1, length - 2);
    bool good = inet_pton(AF_INET6, inside, &six->sin6_addr) == 1;
    free(inside);
    six->sin6_family = AF_INET6;
    six->sin6_port = htons(port);
    address->length = sizeof(*six);
    return good;
}

static int set_path(struct address *address, const char *path, struct err *err)
{
    struct sockaddr_un *un = (struct sockaddr_un *)&address->storage;
    size_t length = strlen(path);
    if (!length || length >= sizeof(un->sun_path))
        return err_set(err, "no path to listen at 'unix:%.100s': expected 1 to %zu bytes", path,
                       sizeof(un->sun_path) - 1);
    *address = (struct address){.length = (socklen_t)(sizeof(*un))};
    un->sun_family = AF_UNIX;
    memcpy(un->sun_path, path, length);
    return 0;
}

int address_parse(struct address *address, const char *text, struct err *err)
{
    if (str_starts(text, UNIX))
        return set_path(address, text + strlen(UNIX), err);
    if (strcmp(text, SYSTEMD) == 0) {
        *address = (struct address){.length = 0};
        return 0;
    }
    const char *colon = strrchr(text, ':'), *digits = colon ? colon + 1 : text;
    unsigned long long port;
    AUTO_FREE char *host = mem_strndup(text, colon ? (size_t)(colon - text) : 0);
    bool good = str_to_u64(digits, 0, 65535, &port) &&
                set_address(address, *host ? host : LOOPBACK, (in_port_t)port);
    if (good)
        return 0;
    return err_set(err,
                   "no address to listen at '%.100s': expected PORT, ADDRESS:PORT or "
                   "[ADDRESS]:PORT with an address in numbers, such as 9464 or 0.0.0.0:9464, "
                   "unix:PATH, or systemd",
                   text);
}

/* An abstract name, which only systemd hands over, begins with a zero byte: unix(7). */
static void write_path(const struct address *address, char text[ADDRESS_TEXT_SIZE])
{
    const struct sockaddr_un *un = (const struct sockaddr_un *)&address->storage;
    size_t most = address->length - offsetof(struct sockaddr_un, sun_path);
    bool abstract = most > 0 && !*un->sun_path;
    const char *name = un->sun_path + abstract;
    snprintf(text, ADDRESS_TEXT_SIZE, "%s%s%.*s", UNIX, abstract ? "@" : "",
             (int)strnlen(name, most - abstract), name);
}

void address_write(const struct address *address, char text[ADDRESS_TEXT_SIZE])
{
    const struct sockaddr_in *four = (const struct sockaddr_in *)&address->storage;
    const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)&address->storage;
    char host[INET6_ADDRSTRLEN] = "";
    switch (address->storage.ss_family) {
    case AF_UNIX:
        write_path(address, text);
        break;
    case AF_INET6:
        inet_ntop(AF_INET6, &six->sin6_addr, host, sizeof(host));
        snprintf(text, ADDRESS_TEXT_SIZE, "[%s]:%u", host, ntohs(six->sin6_port));
        break;
    case AF_INET:
        inet_ntop(AF_INET, &four->sin_addr, host, sizeof(host));
        snprintf(text, ADDRESS_TEXT_SIZE, "%s:%u", host, ntohs(four->sin_port));
        break;
    default:
        snprintf(text, ADDRESS_TEXT_SIZE, "%s", SYSTEMD);
    }
}

bool address_is_loopback(const struct address *address)
{
    const struct sockaddr_in *four = (const struct sockaddr_in *)&address->storage;
    const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)&address->storage;
    const struct in6_addr *wide = &six->sin6_addr;
    if (address->storage.ss_family == AF_INET)
        return ntohl(four->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
    return address->storage.ss_family == AF_INET6 &&
           (IN6_IS_ADDR_LOOPBACK(wide) ||
            (IN6_IS_ADDR_V4MAPPED(wide) && wide->s6_addr[12] == IN_LOOPBACKNET));
}
