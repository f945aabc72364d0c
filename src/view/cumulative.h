/* Counters that only grow, computed from frames: counts of CPUs and named groups of tasks since the
 * first frame. Each frame is added once, with its own estimates, so no counter ever decreases when
 * tasks, CPUs or events disappear. Each count is added to exactly one place, so the rates of all
 * places add up to that of the CPUs.
 *
 * The number of names is limited. If all are taken, a group is added to `rest` until it is much
 * busier than a group with a name: it then takes that name's place, and the counts of the dropped
 * name are added to `retired`. A dropped name that returns starts at 0, as counters do when a
 * program restarts. */
#pragma once

#include "model/frame.h"

struct cumulative_sum {
    uint64_t value;
    uint64_t missed; /* ns in which its group counted nothing, estimated when it does again */
    double coverage; /* in the last interval (model/frame.h), 0: not counted then */
    bool known;      /* counted in any interval: value is valid */
    uint64_t event;  /* hash of its name */
};

struct cumulative_place {
    char *name;
    struct map sums; /* struct cumulative_sum of all events since the start */
    double seconds;  /* on a CPU; of a CPU: busy */
    double recent;   /* the same, weighted by age (half-life: minutes) */
    double since;    /* `time` when it was added */
    uint64_t listed; /* long waits (struct wait_facts) */
};

struct cumulative {
    struct event_set *set; /* of the last frame; NULL before the first */
    size_t most;           /* maximum number of names, 0: no limit */
    size_t count, room;
    struct cumulative_place **places; /* sorted by name */
    struct cumulative_place rest;     /* groups without a name of their own; its name is NULL */
    struct cumulative_place retired;  /* counts of dropped names */
    double time;                      /* total seconds of all frames */
    bool full;                        /* no other group gets a name in this interval */
};

void cumulative_init(struct cumulative *cumulative, size_t most);
void cumulative_release(struct cumulative *cumulative);

/* Begins a frame. Its rows follow, the busiest first. */
void cumulative_begin(struct cumulative *cumulative, const struct frame *frame);
/* Adds a row of that frame; name NULL: to `rest`. Names are compared bytewise. */
void cumulative_add(struct cumulative *cumulative, const struct frame *frame, const struct row *row,
                    const char *name);

/* The counter of a place for the i-th event of the last frame's set. */
const struct cumulative_sum *cumulative_sum(const struct cumulative *cumulative,
                                            const struct cumulative_place *place, size_t i);
uint64_t cumulative_retired(const struct cumulative *cumulative, size_t i);
