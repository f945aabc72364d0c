/* The connections of a server that takes few, and which one is closed for a new one: slow clients,
 * with however many connections, cannot keep out one that sends a request. Times are nanoseconds of
 * a monotonic clock. */
#ifndef FRONT_CROWD_H
#define FRONT_CROWD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

/* More than any Prometheus uses. */
enum { CROWD_MAX = 32 };

/* Seconds in total, not only of silence: from the connection, or the previous answer, to a complete
 * request header; then until the answer is sent. */
enum { CROWD_ASK_SECONDS = 10, CROWD_ANSWER_SECONDS = 30 };

struct guest {
    unsigned char address[16]; /* whose it is, see crowd_add() */
    int fd;
    bool asked;     /* its request is there */
    bool leaving;   /* it is being closed */
    uint64_t since; /* it connected, asked, or was answered last */
};

struct crowd {
    struct guest *guests[CROWD_MAX]; /* not its own */
    size_t count;
};

/* Adds one whose fd and since are set. IPv6 addresses with the same first 64 bits count as one
 * client: a host has all of those (RFC 6177). False: no place is left. */
bool crowd_add(struct crowd *crowd, struct guest *guest, const struct sockaddr *from);
void crowd_remove(struct crowd *crowd, const struct guest *guest);

/* The connection to close when a new one arrives: of the address with the most connections the
 * oldest without a request, else the oldest. NULL: all are being closed. */
struct guest *crowd_victim(const struct crowd *crowd);

/* One that has exceeded its time, NULL: none. */
struct guest *crowd_late(const struct crowd *crowd, uint64_t now);
/* When the next one exceeds its time; UINT64_MAX: never. */
uint64_t crowd_deadline(const struct crowd *crowd);

#endif
