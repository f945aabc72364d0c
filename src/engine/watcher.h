/* The watched tasks of the task engine: finds them, opens and reads their counters, notices their
 * end, and gives descriptors to the busiest when there are not enough. */
#ifndef ENGINE_WATCHER_H
#define ENGINE_WATCHER_H

#include "base/map.h"
#include "engine/task_counters.h"
#include "sample/watch.h"
#include "system/caps.h"

#include <stdbool.h>
#include <stddef.h>

/* Gives descriptors to the busiest tasks when there are not enough for all. Pure. */

/* A task that has descriptors or needs some. */
struct fd_budget {
    void *who;
    double rate; /* CPUs used */
    size_t need; /* descriptors, all or none */
    bool has;
    bool move; /* result: it gets what it needs, or gives up what it has */
};

/* Sorts the tasks by descending rate and sets `move`; at most `most` tasks get descriptors. `room`:
 * free descriptors. With hysteresis: descriptors are taken only for a task that is at least twice
 * as busy as all that lose theirs to it. Otherwise two tasks of similar rate would swap for ever,
 * and each swap costs both some counting. Returns how many get descriptors. */
size_t fd_budget_choose(struct fd_budget *tasks, size_t count, size_t room, size_t most);

struct watcher {
    /* Set by the owner. */
    const struct caps *caps;
    const struct watch *watch;
    struct task_table *task_table;
    bool threads;         /* each thread by itself, not processes as a whole */
    bool waits;           /* also what they do on no CPU; then threads is set */
    struct opener opener; /* of the current plan */

    bool command_ran, command_over; /* watch.command has executed its program; has ended */
    struct map counters;            /* by tid */
    uint64_t scans;
    uint64_t now; /* monotonic ns: of the last scan */
    /* Results of the last watcher_read. */
    uint64_t denied, starved;         /* threads */
    const struct task_counters *lost; /* one that is not counted completely; NULL: none */
    int refusal;                      /* errno of the last open that was denied */
    int shortage;                     /* ... that found no descriptor */
    int unlisted;                     /* errno of the last scan's reading of /proc; 0: it has all */
    size_t cursor;                    /* in the map, for rate_starved */
};

/* Whether processes are watched by name, user or cgroup, or all of them are: then each scan looks
 * at all processes. */
bool watcher_searches(const struct watch *watch);

/* Opens counters for new watched tasks and closes those of tasks that are gone or no longer
 * watched. */
void watcher_scan(struct watcher *watcher);

/* Reads all counters into the task table, and marks the tasks that ran or are not counted for the
 * next snapshot. Sets the results above. */
void watcher_read(struct watcher *watcher);

/* Where descriptors run short, closes the counters of idle tasks and opens those of the busiest
 *. Call it after a snapshot was made. */
void watcher_share(struct watcher *watcher);

void watcher_clear(struct watcher *watcher); /* closes all counters and ends their rows */
void watcher_release(struct watcher *watcher);

#endif
