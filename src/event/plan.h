/* Packs events into perf groups that fit the counters, by trial. */
#pragma once

#include "event/event.h"

/* Whether these events (indices into the list) can be opened as one group and are really counted,
 * by time_running: the kernel also accepts a group that needs a counter which is permanently in use
 * (by the NMI watchdog). If a single event cannot be opened, sets its state and reason and returns
 * false. */
struct plan_trial {
    void *ctx;
    bool (*fits)(void *ctx, struct event_list *list, const size_t *events, size_t count);
};

struct plan {
    int *group; /* for each event its group, -1 for those that cannot be counted */
    size_t groups;
    size_t shared; /* how many groups are for shared events: they stand before those of `kept` */
    size_t kept;   /* how many are for events that perf does not count: the last ones */
};

/* Puts all events into one group if that fits, so that the kernel writes one record per switch.
 * Otherwise group 0 has the software events, except those in braces with a hardware event: they
 * need no hardware counter, so rotation never stops them. Hardware events are packed first-fit into
 * further groups: first the braces of the list, which are split if they do not fit as a whole, then
 * the rest. Each shared event gets a group of its own after all others, of which there is at least
 * one, perhaps empty: it is counted on other CPUs and with other counters. Events that perf does
 * not count (event/event_set.h) share a group at the end, those that are known only for tasks
 * another one. Events whose state is not EVENT_COUNTED, also after a trial, get no group. */
void plan_make(struct plan *plan, struct event_list *list, const struct plan_trial *trial);
void plan_release(struct plan *plan);
