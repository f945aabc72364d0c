/* Perf groups: how a list of events becomes groups, and how a group is opened for a CPU or a task.
 * The part that all engines share. */
#ifndef ENGINE_GROUP_H
#define ENGINE_GROUP_H

#include "engine/decode.h"
#include "event/event.h"
#include "sample/snapshot.h"
#include "system/caps.h"

#include <linux/perf_event.h>

/* What an engine puts beside the user's events. */
struct group_style {
    /* Whether groups sample: `switches` and `ticker` are then in each of them. */
    bool samples;
    struct perf_event_attr
        switches; /* a user's event that asks for the very same shares its counter */
    struct perf_event_attr ticker;
    struct perf_event_attr filler; /* leads a group that would be empty */
};

/* For whom a group counts: all tasks of a CPU (pid -1), or one task on any CPU (cpu -1). */
struct group_target {
    pid_t pid;
    int cpu;
};

/* One group: its values by position, as reads and samples carry them. Position 0 is the leader: a
 * hardware event where there is one, since a group that begins with software events is moved when
 * a hardware event joins it, and that waits for all CPUs (kernel/events/core.c, perf_event_open,
 * "move_group": synchronize_rcu()). */
struct group_shape {
    size_t values;
    int *event_of;   /* index of the event at each position, -1: none of the user's */
    size_t switches; /* position of the event `switches` */
};

/* A list of events as groups. There is at least one group, for the times. */
struct group_plan {
    struct event_list list; /* with states and reasons as found by trial */
    struct event_set *set;  /* the same for consumers, by the same indices */
    size_t count;
    struct group_shape *shapes;
};

/* Packs the events of the list into groups that can be opened for the trial's target; what cannot
 * be opened at all gets its state and reason. */
void group_plan_make(struct group_plan *plan, const struct event_list *list,
                     const struct group_style *style, struct group_target trial,
                     const struct caps *caps);
void group_plan_release(struct group_plan *plan);
/* The same, but the set is kept: the caller drops it. */
struct event_set *group_plan_detach(struct group_plan *plan);

/* Opens one group, disabled; fds has room for all its values. -1 with errno and nothing left open:
 * *refused is then the position that failed. */
int group_open(const struct group_plan *plan, size_t group, const struct group_style *style,
               struct group_target target, int *fds, size_t *refused);
void group_close(int *fds, size_t count);

/* Room for what a group of so many values reads as, zeroed; the caller frees it. */
struct group_read *group_read_new(size_t values);
/* What an open group has counted by now; false where that is not to be had. */
bool group_counts(int leader, size_t values, struct group_read *read);

#endif
