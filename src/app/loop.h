/* The showing thread's wait: for descriptors, of which one is that of signals. */
#ifndef APP_LOOP_H
#define APP_LOOP_H

#include "base/err.h"

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

/* Calls call(ctx) whenever the descriptor is readable; of several those added first are called
 * first. In what is returned fd can be changed, -1: it is not waited for, and events (POLLOUT);
 * revents are those of the call. At most LOOP_MAX of them. */
struct pollfd *loop_add(struct loop *loop, int fd, enum loop_next (*call)(void *ctx), void *ctx);

/* Waits until something is readable, and makes the calls; when one ends the loop, none after it. */
enum loop_next loop_turn(struct loop *loop);

/* Blocks the signals that end or stop the program, or report a child or the terminal's size; to be
 * called before any thread is started. Returns the descriptor to read them from (signalfd(2)), -1
 * with a message. */
int loop_signals(struct err *err);

/* After SIGTSTP: stops the program; returns when it is continued. */
void loop_stop(void);

#endif
