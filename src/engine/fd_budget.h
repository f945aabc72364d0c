/* Who gets descriptors when there are not enough for all: the busiest. Pure. */
#ifndef ENGINE_FD_BUDGET_H
#define ENGINE_FD_BUDGET_H

#include <stdbool.h>
#include <stddef.h>

/* One that has descriptors or wants some. */
struct fd_budget {
    void *who;
    double rate; /* how busy it is: CPUs used */
    size_t need; /* descriptors, all or none */
    bool has;
    bool move; /* answer: it is to get what it wants, or to give up what it has */
};

/* Sorts them, the busiest first, and says who moves; at most `most` get something. `room`:
 * descriptors that are free. Somebody gives way only to one that is busier by far, twice as busy as
 * all together that give way to it: two that are about as busy would change places for ever, and
 * each change costs both some counting. Returns how many get something. */
size_t fd_budget_choose(struct fd_budget *shares, size_t count, size_t room, size_t most);

#endif
