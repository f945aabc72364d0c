/* Where to listen: `ADDRESS:PORT`, `[::1]:PORT`, and for this machine alone `:PORT` or `PORT`. */
#ifndef FRONT_ADDRESS_H
#define FRONT_ADDRESS_H

#include "base/err.h"

#include <sys/socket.h>

struct address {
    struct sockaddr_storage storage;
    socklen_t length;
};

enum { ADDRESS_TEXT_SIZE = 64 };

/* Addresses are numbers (nobody is asked for names), or `localhost`; port 0 is any free one. -1
 * with a message. */
int address_parse(struct address *address, const char *text, struct err *err);

/* As in a URL: 127.0.0.1:9464, [::1]:9464. */
void address_write(const struct address *address, char text[ADDRESS_TEXT_SIZE]);

#endif
