/* The event loop of the showing thread: waits for descriptors, one of which reports signals
 * (base/signals.h). */
#ifndef APP_LOOP_H
#define APP_LOOP_H

#include <poll.h>
#include <stddef.h>

enum loop_next { LOOP_GO_ON, LOOP_END };

enum { LOOP_MAX = 8 }; /* descriptors */

struct loop {
    struct pollfd fds[LOOP_MAX];
    struct loop_hook {
        enum loop_next (*call)(void *ctx);
        void *ctx;
    } hooks[LOOP_MAX];
    size_t count;
};

/* Calls call(ctx) whenever the descriptor is readable, in the order of adding. The caller may
 * change fd (-1: ignored) and events (POLLOUT) of the result; in a call its revents are valid. At
 * most LOOP_MAX. */
struct pollfd *loop_add(struct loop *loop, int fd, enum loop_next (*call)(void *ctx), void *ctx);

/* Waits until a descriptor is ready, at most that many ms (-1: any time), and makes the calls; a
 * call that ends the loop is the last. */
enum loop_next loop_turn(struct loop *loop, int most);

#endif
