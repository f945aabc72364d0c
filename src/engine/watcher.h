/* All that the task engine is attached to at a time: finds it, opens and reads it, notices its end,
 * and gives the descriptors to the busiest where there are not enough. */
#ifndef ENGINE_WATCHER_H
#define ENGINE_WATCHER_H

#include "base/map.h"
#include "engine/task_counters.h"
#include "sample/watch.h"
#include "system/caps.h"

struct watcher {
    /* The owner's. */
    const struct caps *caps;
    const struct watch *watch;
    struct task_table *task_table;
    bool threads;         /* each thread by itself, not processes as a whole */
    struct opener opener; /* of the plan that counts now */

    bool command_ran, command_over; /* watch.command has executed its program; has ended */
    struct map attachments;         /* by tid */
    uint64_t scans;
    uint64_t now; /* monotonic ns: of the last scan */
    /* As of the last watcher_read. */
    uint64_t denied, starved; /* threads */
    const struct task_counters
        *lost;     /* one that the kernel does not count, or not all of it; NULL */
    int refusal;   /* errno of the last open that was denied */
    int shortage;  /* ... that found no descriptor */
    size_t cursor; /* in the map: whose CPU time is looked at next */
    /* Scratch that is kept: nothing is allocated while nothing changes. */
    size_t list_room, share_room;
    struct task_counters **list;
    struct fd_budget *shares;
};

/* Attaches to what is watched and new, lets go of what is not there or not watched any more. */
void watcher_scan(struct watcher *watcher);

/* Brings all tasks in the roster up to date; touches those that ran, or are not counted. */
void watcher_read(struct watcher *watcher);

/* Where descriptors run short, gives them to the busiest: after a snapshot, which is complete. */
void watcher_share(struct watcher *watcher);

void watcher_clear(struct watcher *watcher); /* lets go of all; their rows end */
void watcher_release(struct watcher *watcher);

#endif
