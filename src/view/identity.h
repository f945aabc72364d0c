/* Who a task is, from /proc: for the details of a row. */
#ifndef VIEW_IDENTITY_H
#define VIEW_IDENTITY_H

#include "view/view_context.h"

/* One line each, without control characters; NULL: not known. The owner frees the texts. */
struct identity {
    pid_t pid, tid; /* of a task that lives now; tid 0: all of its process; pid 0: none */
    char *command;  /* the command line */
    char *parents;  /* "make 120 < sh 99 < systemd 1" */
    char *state;    /* "D in folio_wait_bit, 4 threads, nice 0, started 17:01:33, may run on 0-1,
                       cgroup /a" */
};

/* Reads what is known of a task; what is not known any more stays. now: its state, too, which says
 * nothing of the past. Nothing is read for an ended task: another one may have its ids. */
void identity_read(struct identity *identity, const struct view_context *context,
                   const struct row *row, bool now);
void identity_release(struct identity *identity);

#endif
