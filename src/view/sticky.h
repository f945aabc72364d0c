/* Ended tasks with their last values; the settings decide whether they are visible. */
#ifndef VIEW_STICKY_H
#define VIEW_STICKY_H

#include "base/map.h"
#include "view/view_context.h"

/* Maximum number of threads, and of processes: the ones that ended first are dropped. A few MiB
 * with eight events. */
enum { STICKY_MAX = 4096 };

struct ended {
    struct row row;               /* owns its counts */
    uint64_t seq;                 /* of the frame in which it ended */
    char process[TASK_COMM_SIZE]; /* name of its process */
};

struct sticky {
    struct event_set *events; /* the set of the counts; NULL: nothing is kept */
    uint64_t seq;             /* of the last frame taken */
    struct graves {
        struct ended *items; /* STICKY_MAX elements, NULL: none yet; they never move */
        size_t count, next;  /* next: index for the next task */
        struct map by_id;
    } threads, processes;
    struct map by_pid; /* processes of the frame being taken */
};

/* Empties it and frees its memory. */
void sticky_release(struct sticky *sticky);

/* Copies tasks that ended in the frame's interval; `only`: just the task with this id, 0: all.
 * Ignores frames taken before and frames of the whole time, which contain all ended tasks. Drops
 * tasks with counts of other events. */
void sticky_take(struct sticky *sticky, const struct frame *frame, uint64_t only);

/* Iterates over tasks that ended before the frame's interval and so are not in it: begin with *at =
 * 0; NULL after the last. */
const struct ended *sticky_next(const struct sticky *sticky, const struct frame *frame,
                                bool threads, size_t *at);

#endif
