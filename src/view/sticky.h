/* Tasks that ended, as they were last: they stay on show while the settings say so. Part of
 * view/view. */
#ifndef VIEW_STICKY_H
#define VIEW_STICKY_H

#include "base/map.h"
#include "view/view_context.h"

/* Of threads and of processes so many are kept: beyond, those that ended first go. With eight
 * events a few MiB. */
enum { STICKY_MOST = 4096 };

struct ended {
    struct row row;               /* with counts of its own */
    uint64_t seq;                 /* of the frame that told of its end */
    char process[TASK_COMM_SIZE]; /* name of its process */
};

struct sticky {
    struct event_set *events; /* what the counts are of; NULL: nothing is kept */
    uint64_t seq;             /* of the last frame taken */
    struct graves {
        struct ended *items; /* room for STICKY_MOST, NULL: none yet; they never move */
        size_t count, next;  /* next: where the next one goes */
        struct map by_id;
    } threads, processes;
    struct map by_pid; /* processes of a frame, while it is taken */
};

void sticky_init(struct sticky *sticky);
void sticky_release(struct sticky *sticky);
void sticky_clear(struct sticky *sticky);

/* Copies what ended in the interval of the frame; `only`: the id of the task that is meant, 0: all.
 * Of no account where the frame is of the whole time, which has all that ended itself, or was taken
 * before. Counts of other events are let go of. */
void sticky_take(struct sticky *sticky, const struct frame *frame, uint64_t only);

/* Goes through those that ended before the interval of the frame, of which it does not tell: begin
 * with *at = 0; NULL after the last. */
const struct ended *sticky_next(const struct sticky *sticky, const struct frame *frame,
                                bool threads, size_t *at);

#endif
