#include "front/address.h"
#include "base/mem.h"
#include "base/str.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char LOOPBACK[] = "127.0.0.1";

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

int address_parse(struct address *address, const char *text, struct err *err)
{
    const char *colon = strrchr(text, ':'), *digits = colon ? colon + 1 : text;
    unsigned long long port;
    char *host = mem_strndup(text, colon ? (size_t)(colon - text) : 0);
    bool good = str_to_u64(digits, 0, 65535, &port) &&
                set_address(address, *host ? host : LOOPBACK, (in_port_t)port);
    free(host);
    if (good)
        return 0;
    return err_set(err,
                   "no address to listen at '%.100s': expected PORT, ADDRESS:PORT or "
                   "[ADDRESS]:PORT with an address in numbers, such as 9464 or 0.0.0.0:9464",
                   text);
}

void address_write(const struct address *address, char text[ADDRESS_TEXT_SIZE])
{
    const struct sockaddr_in *four = (const struct sockaddr_in *)&address->storage;
    const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)&address->storage;
    char host[INET6_ADDRSTRLEN] = "";
    if (address->storage.ss_family == AF_INET6) {
        inet_ntop(AF_INET6, &six->sin6_addr, host, sizeof(host));
        snprintf(text, ADDRESS_TEXT_SIZE, "[%s]:%u", host, ntohs(six->sin6_port));
        return;
    }
    inet_ntop(AF_INET, &four->sin_addr, host, sizeof(host));
    snprintf(text, ADDRESS_TEXT_SIZE, "%s:%u", host, ntohs(four->sin_port));
}
