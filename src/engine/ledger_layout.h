/* What the ledger is given: what is counted, and where a record comes from. */
#ifndef ENGINE_LEDGER_LAYOUT_H
#define ENGINE_LEDGER_LAYOUT_H

#include "event/event.h"
#include "sample/snapshot.h"

/* One perf group, one of whose events is context-switches with a period of 1. */
struct ledger_group {
    size_t values;   /* positions in a record */
    int *event_of;   /* for each position the index of the event, -1: none of the user's */
    size_t switches; /* position of context-switches; the last one is the ticker, which counts ns */
};

struct ledger_layout {
    struct event_set *events;
    enum idle_share *idle;       /* for each event */
    struct ledger_group *groups; /* events->groups of them */
    /* So many of them, the last ones, write no records: ledger_close_group tells their counts,
     * which are no task's. */
    size_t shared;
    /* They count the tasks of a cgroup alone, and switch records tell of those alone: while others
     * or idle have a CPU, nothing is counted or written, and no group is enabled. */
    bool members_only;
};

/* Where a record comes from. */
struct ledger_origin {
    size_t cpu;   /* as ledger_add_cpu numbered it */
    size_t group; /* samples: the group whose counts they carry */
    bool tick;    /* samples: written by the ticker within a slice, not by a switch at its end */
};

#endif
