/* The showing thread's wait: for snapshots, keys and signals. */
#ifndef LOOP_H
#define LOOP_H

#include "base/err.h"

#include <stdbool.h>

enum loop_next { LOOP_GO_ON, LOOP_END };

struct loop_handlers {
    void *ctx;
    int snapshot_fd;
    enum loop_next (*snapshot)(void *ctx);
    bool reads_input; /* standard input is watched */
    enum loop_next (*input)(void *ctx);
    void (*resize)(void *ctx);  /* SIGWINCH */
    void (*suspend)(void *ctx); /* before SIGTSTP stops the program */
    void (*resume)(void *ctx);  /* after SIGCONT */
};

/* Blocks the signals that loop_run reads; to be called before any thread is started. Returns the
 * descriptor to read them from, -1 with a message. */
int loop_signals(struct err *err);

/* Until a handler or SIGINT, SIGTERM, SIGHUP or SIGQUIT ends it. */
void loop_run(int signals, const struct loop_handlers *handlers);

#endif
