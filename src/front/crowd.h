/* Limits a server's connections, and chooses which one is closed for a new one. Slow clients, with
 * any number of connections, keep out no client that sends a request. Times are monotonic ns. */
#ifndef FRONT_CROWD_H
#define FRONT_CROWD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

/* Prometheus uses fewer connections. */
enum { CROWD_MAX = 32 };

/* Total seconds, not only silence: from the connection or the previous answer to a complete request
 * header; then until the answer is sent. */
enum { CROWD_ASK_SECONDS = 10, CROWD_ANSWER_SECONDS = 30 };

struct guest {
    unsigned char address[16]; /* of the client, see crowd_add() */
    int fd;
    bool loopback;  /* it came to an address that only this machine has */
    bool asked;     /* its request has arrived */
    uint64_t since; /* time of connection, request, or last answer */
};

struct crowd {
    struct guest *guests[CROWD_MAX]; /* borrowed */
    size_t count;
};

/* Adds a guest whose fd and since are set. IPv6 addresses with the same first 64 bits count as one
 * client (RFC 6177), and all of a socket's path. False if CROWD_MAX is reached. */
bool crowd_add(struct crowd *crowd, struct guest *guest, const struct sockaddr *from);
void crowd_remove(struct crowd *crowd, const struct guest *guest);

/* The connection to close for a new one: of the address with the most connections the oldest
 * without a request, else the oldest. NULL: there is none. */
struct guest *crowd_victim(const struct crowd *crowd);

/* The guest with the earliest deadline; NULL: there is none, and *deadline is UINT64_MAX. */
struct guest *crowd_first(const struct crowd *crowd, uint64_t *deadline);

#endif
