/* Listening addresses: `ADDRESS:PORT`, `[::1]:PORT`; `:PORT` or `PORT` for the local machine only;
 * `unix:PATH` for a socket in the file system; `systemd` for the socket that systemd hands over. */
#ifndef FRONT_ADDRESS_H
#define FRONT_ADDRESS_H

#include "base/err.h"

#include <stdbool.h>
#include <sys/socket.h>

struct address {
    struct sockaddr_storage storage; /* AF_UNSPEC: handed over by systemd */
    socklen_t length;
};

enum { ADDRESS_TEXT_SIZE = 128 };

/* Addresses are numeric (names are not resolved), or `localhost`; port 0 means any free port. -1
 * with a message. */
int address_parse(struct address *address, const char *text, struct err *err);

/* In the form of a URL: 127.0.0.1:9464, [::1]:9464, unix:/run/a.socket. */
void address_write(const struct address *address, char text[ADDRESS_TEXT_SIZE]);

/* Whether only this machine's own interface has it: 127.0.0.0/8 or ::1. */
bool address_is_loopback(const struct address *address);

#endif
