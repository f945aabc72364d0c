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

/* What is counted. */
struct ledger_layout {
    struct event_set *events;
    enum idle_share *idle;       /* for each event */
    struct ledger_group *groups; /* events->groups of them */
    size_t shared; /* the number of groups, the last ones, that write no records: their counts come
                      through ledger_close_group and belong to no task */
    /* The groups count only the tasks of a cgroup, and there are switch records only of those:
     * while other tasks or idle have a CPU, nothing is counted or written, and no group is
     * enabled. */
    bool members_only;
};

/* Where a record comes from. */
struct ledger_origin {
    size_t cpu;   /* as ledger_add_cpu numbered it */
    size_t group; /* samples: the group whose counts they carry */
    bool tick;    /* samples: written by the ticker within a slice, not by a switch at its end */
};

#endif
