/* Input of the ledger: the layout of counts, and the origin of a record. */
#ifndef ENGINE_LEDGER_LAYOUT_H
#define ENGINE_LEDGER_LAYOUT_H

#include "event/event.h"
#include "sample/snapshot.h"

/* One perf group, one of whose events is context-switches with a period of 1. */
struct ledger_group {
    size_t values;   /* positions in a record */
    int *event_of;   /* by position the index of the event, -1: not a user's event */
    size_t switches; /* position of context-switches; the last one is the ticker, which counts ns */
};

/* The layout of counts. */
struct ledger_layout {
    struct event_set *events;
    enum idle_share *idle;       /* for each event */
    struct ledger_group *groups; /* events->groups of them */
    size_t shared; /* number of groups, the last ones, that write no records: their counts come
                    * through ledger_close_group and belong to no task */
    /* The groups count only the tasks of a cgroup, and switch records are only about those: while
     * other tasks or idle have a CPU, nothing is counted or written, and no group is enabled. */
    bool members_only;
};

/* The origin of a record. */
struct ledger_origin {
    size_t cpu;   /* number from ledger_add_cpu */
    size_t group; /* samples: the group of the counts */
    bool tick;    /* samples: written by the ticker within a slice, not by a switch at its end */
};

#endif
