/* Packs events into perf groups that fit the counters, by trial. */
#ifndef EVENT_PLAN_H
#define EVENT_PLAN_H

#include "event/event.h"

/* Whether these events (indices into the list) can be opened as one group, and are then really
 * counted: the kernel accepts a group that needs a counter which others hold for good (the NMI
 * watchdog), so time_running tells. When a single event cannot be opened at all, sets its state and
 * reason and returns false. */
struct plan_trial {
    void *ctx;
    bool (*fits)(void *ctx, struct event_list *list, const size_t *events, size_t count);
};

struct plan {
    int *group;    /* for each event its group, -1 for those that cannot be counted */
    size_t groups;
    size_t shared; /* of these the last ones, for shared events (event.h) */
};

/* All events in one group, if that fits: then the kernel writes one record a switch. Otherwise
 * group 0 has the software events (those that need no hardware counter, so that rotation never
 * stops them; but for those in braces with a hardware event), and hardware events are packed in
 * order into groups of their own: the braces of the list, then the sets in `together` (names of the
 * events of one ratio, as comma-separated lists, NULL at the end; may be NULL itself) stay together
 * as far as they fit, first come, first packed, into as few groups as that allows. A pair of braces
 * that cannot fit as a whole is split. Each shared event gets a group of its own behind all others
 * (of which there is at least one, be it empty): it is not counted on the same CPUs, and needs no
 * counter that others need. Events with a state other than EVENT_COUNTED, or which get
 * one from the trial, stay out. */
void plan_make(struct plan *plan, struct event_list *list, const char *const *together,
               const struct plan_trial *trial);
void plan_release(struct plan *plan);

#endif
