/* Listening addresses: `ADDRESS:PORT`, `[::1]:PORT`; `:PORT` or `PORT` for the local machine only;
 * `unix:PATH` for a socket in the file system; `systemd` for the socket that systemd hands over. */
#pragma once

#include "base/base.h"

#include <sys/socket.h>

struct address {
    struct sockaddr_storage storage; /* AF_UNSPEC: handed over by systemd */
    socklen_t length;
};

enum { ADDRESS_TEXT_SIZE = 128 };

/* An address in numbers, or `localhost`; port 0 means any free port. -1 with a message. */
int address_parse(struct address *address, const char *text, struct err *err);

/* In the form of a URL: 127.0.0.1:9464, [::1]:9464, unix:/run/a.socket. */
void address_write(const struct address *address, char text[ADDRESS_TEXT_SIZE]);

/* Whether only this machine's own interface has it: 127.0.0.0/8 or ::1. */
bool address_is_loopback(const struct address *address);

/* The socket that clients connect to: bound to an address, bound to a path, or handed over by
 * systemd (sd_listen_fds(3)), which can keep it open while the program is restarted, and give it to
 * a program that has no network. */

struct door {
    int fd;                 /* does not block */
    struct address address; /* of the socket, with its port */
    bool bound;             /* to a path, which door_close() removes */
};

/* -1 with a message, for example if the address is in use. A socket of the same path that nobody
 * listens at is replaced; any other file stays, and is an error. */
int door_open(struct door *door, const struct address *address, struct err *err);
void door_close(struct door *door);

/* "http://127.0.0.1:9464/metrics", "http://unix:/run/a.socket:/metrics". The caller frees it. */
char *door_url(const struct door *door);
