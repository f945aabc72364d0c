/* Counters that only grow, made of frames: what CPUs and named groups of tasks counted since the
 * first frame. A frame's counts are added to them once, in the interval's own estimate, so none
 * ever falls, whatever becomes of tasks, CPUs and events; and each count of an interval is added in
 * one place alone, so the rates of all places add up to that of the CPUs.
 *
 * The number of names is limited. Where they are all taken, a group is added to the rest, until it
 * is busier than one that has a name: the counters of that one then end, and what they held is
 * added to `retired`. A counter that ended starts again at 0 when its name comes back, as
 * counters do when a program is started again. */
#ifndef VIEW_CUMULATIVE_H
#define VIEW_CUMULATIVE_H

#include "model/frame.h"

struct cumulative_sum {
    uint64_t value;
    double coverage; /* of the last interval (model/frame.h) */
    bool known;      /* counted in any interval: value means something */
};

struct cumulative_place {
    char *name;
    struct cumulative_sum *sums; /* one for each event of the tally */
    double seconds;              /* on a CPU, of a CPU busy */
    double recent;               /* the same, of the last minutes */
    double since;                /* the tally's time when it was made */
};

struct cumulative {
    struct event_set *set; /* of the last frame; NULL before the first */
    size_t event_count, event_room;
    char **events;   /* the names of all events there were */
    size_t *columns; /* for each event of the set its place among them */
    size_t most;     /* names at a time, 0: no limit */
    size_t count, room;
    struct cumulative_place **places; /* in the order of their names */
    struct cumulative_place rest;     /* of groups that have no name; its name is NULL */
    uint64_t *retired;                /* for each event: counts of names that were dropped */
    double time;                      /* seconds of all frames */
    bool full;                        /* no other group gets a name in this interval */
};

void cumulative_init(struct cumulative *cumulative, size_t most);
void cumulative_release(struct cumulative *cumulative);

/* A frame whose rows follow, the busiest first. */
void cumulative_begin(struct cumulative *cumulative, const struct frame *frame);
/* A row of that frame; name NULL: one of the rest. Names are compared byte by byte. */
void cumulative_add(struct cumulative *cumulative, const struct frame *frame, const struct row *row,
                    const char *name);

/* What a place counted of the i-th event of the set of the last frame. */
const struct cumulative_sum *cumulative_sum(const struct cumulative *cumulative,
                                            const struct cumulative_place *place, size_t i);
uint64_t cumulative_retired(const struct cumulative *cumulative, size_t i);

#endif
