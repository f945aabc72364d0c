/* The showing thread's wait: for snapshots, keys and signals. */
#ifndef APP_LOOP_H
#define APP_LOOP_H

#include "base/err.h"

#include <stdbool.h>

enum loop_next { LOOP_GO_ON, LOOP_END };

struct loop_handlers {
    void *ctx;
    int snapshot_fd; /* -1: no more of them */
    enum loop_next (*snapshot)(void *ctx);
    bool reads_input; /* standard input is watched */
    enum loop_next (*input)(void *ctx);
    int (*waits)(void *ctx);   /* a descriptor to write to, -1: there is nothing to write */
    void (*flush)(void *ctx);  /* it is writable */
    int serve_fd;              /* what a server waits for, -1: there is none */
    void (*serve)(void *ctx);  /* it is readable */
    void (*resize)(void *ctx); /* SIGWINCH */
    /* by_terminal: a key sent the signal, to all processes in the foreground of the terminal. */
    void (*suspend)(void *ctx, bool by_terminal); /* before SIGTSTP stops the program */
    void (*resume)(void *ctx);                    /* after SIGCONT */
    /* SIGINT, SIGTERM, SIGHUP or SIGQUIT */
    enum loop_next (*end)(void *ctx, int number, bool by_terminal);
    enum loop_next (*child)(void *ctx); /* SIGCHLD */
    int outputs_fd;                     /* what a child writes, -1: nothing */
    bool (*output)(void *ctx);          /* it is readable; false: it will never be again */
};

/* Blocks the signals that loop_run reads; to be called before any thread is started. Returns the
 * descriptor to read them from, -1 with a message. */
int loop_signals(struct err *err);

/* Until a handler ends it. */
void loop_run(int signals, const struct loop_handlers *handlers);

#endif
