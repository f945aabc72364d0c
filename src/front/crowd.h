/* Who is connected to a server of few places, and who gives way: nobody who takes his time, from
 * however many connections, keeps out one that asks. Times are nanoseconds of a monotonic clock. */
#ifndef FRONT_CROWD_H
#define FRONT_CROWD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

/* More than any Prometheus uses. */
enum { CROWD_MAX = 32 };

/* Seconds in all, not only without a byte: from the connection, or the answer before, until the
 * header of a request is whole; then until the answer is sent. */
enum { CROWD_ASK_SECONDS = 10, CROWD_ANSWER_SECONDS = 30 };

struct guest {
    unsigned char address[16]; /* whose it is, see crowd_add() */
    int fd;
    bool asked;     /* its request is there */
    bool leaving;   /* it was told to go */
    uint64_t since; /* it connected, asked, or was answered last */
};

struct crowd {
    struct guest *guests[CROWD_MAX]; /* not its own */
    size_t count;
};

/* Adds one whose fd and since are set. Addresses of IPv6 are the same where their first 64 bits
 * are: a host has all that follow (RFC 6177). False: there is no place. */
bool crowd_add(struct crowd *crowd, struct guest *guest, const struct sockaddr *from);
void crowd_remove(struct crowd *crowd, const struct guest *guest);

/* Who is to go when another one comes: of the address that has the most connections one that did
 * not ask, else any of these; of those the one that takes longest. NULL: all are leaving. */
struct guest *crowd_victim(const struct crowd *crowd);

/* One whose time is over, NULL: none. */
struct guest *crowd_late(const struct crowd *crowd, uint64_t now);
/* When the next one's is; UINT64_MAX: never. */
uint64_t crowd_deadline(const struct crowd *crowd);

#endif
