/* The listening socket of a server: bound to an address, bound to a path, or handed over by
 * systemd (sd_listen_fds(3)), which can keep it open while the program is restarted, and give it to
 * a program that has no network. */
#ifndef FRONT_DOOR_H
#define FRONT_DOOR_H

#include "front/address.h"

struct door {
    int fd;                 /* does not block */
    struct address address; /* of the socket, with its port */
    bool bound;             /* to a path, which door_close() removes */
};

/* -1 with a message, for example if the address is in use. A socket of the same path that nobody
 * listens at is replaced; any other file stays, and is an error. */
int door_open(struct door *door, const struct address *address, struct err *err);
void door_close(struct door *door);

/* Where the counters are: "http://127.0.0.1:9464/metrics", "http://unix:/run/a.socket:/metrics".
 * The caller frees it. */
char *door_url(const struct door *door);

#endif
