/* Tasks that ended, as they were last: they are shown while the settings say so. */
#ifndef VIEW_STICKY_H
#define VIEW_STICKY_H

#include "base/map.h"
#include "view/view_context.h"

/* Threads and processes kept, each: beyond, those that ended first are dropped. With eight events a
 * few MiB. */
enum { STICKY_MOST = 4096 };

struct ended {
    struct row row;               /* with counts of its own */
    uint64_t seq;                 /* of the frame in which it ended */
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

/* Empties it and frees what it held. */
void sticky_release(struct sticky *sticky);

/* Copies what ended in the interval of the frame; `only`: the id of the task that is meant, 0: all.
 * Does nothing if the frame was taken before, or is of the whole time, which has all that ended
 * itself. Drops tasks with counts of other events. */
void sticky_take(struct sticky *sticky, const struct frame *frame, uint64_t only);

/* Goes through those that ended before the interval of the frame, which are not in it: begin with
 * *at = 0; NULL after the last. */
const struct ended *sticky_next(const struct sticky *sticky, const struct frame *frame,
                                bool threads, size_t *at);

#endif
