/* Gives descriptors to the busiest tasks when there are not enough for all. Pure. */
#ifndef ENGINE_FD_BUDGET_H
#define ENGINE_FD_BUDGET_H

#include <stdbool.h>
#include <stddef.h>

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

#endif
