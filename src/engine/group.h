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
    struct perf_event_attr ticker; /* a clock; one that the user asks for can do its work too */
    struct perf_event_attr filler; /* leads a group that would be empty */
    bool cgroup;                   /* the target's pid is a descriptor of a cgroup's directory */
    bool pinned; /* takes counters from groups that only share them: perf_event_open(2), "pinned" */
    /* For one task: whether what it begets is counted with it, as perf_event_open(2) has it. Counts
     * and times of a group are then the sums over all of them. */
    bool inherit;        /* threads and child processes (inherit; with group reads since 4.13) */
    bool inherit_thread; /* ... but of these only threads (inherit_thread; since 5.13) */
    bool on_exec;        /* begins to count when the task executes a program (enable_on_exec) */
    bool until_exec;     /* counts no longer than until then (remove_on_exec; since 5.13) */
};

/* For whom a group counts: all tasks of a CPU (pid -1), those of a cgroup on a CPU (pid: see
 * group_style), or one task on any CPU (cpu -1). */
struct group_target {
    pid_t pid;
    int cpu;
};

/* One group: its values by position, as reads and samples carry them. Position 0 is the leader: a
 * hardware event where there is one, since a group that begins with software events is moved when
 * a hardware event joins it, and that waits for all CPUs (kernel/events/core.c, perf_event_open,
 * "move_group": synchronize_rcu()). */
struct group_shape {
    size_t group; /* of the event set */
    /* A task runs now on this core type, now on that, and its group is opened once for each, one
     * shape after the other: as on this CPU; -1: core types make no difference. */
    int core;
    bool again; /* not the first of them: the time enabled is also in the first, and only that of
                   running adds up */
    size_t values;
    int *event_of;   /* index of the event at each position, -1: none of the user's */
    size_t switches; /* position of the event `switches` */
    size_t ticker;   /* ... and of `ticker`, where the group samples */
};

/* A list of events as groups. There is at least one group, for the times. */
struct group_plan {
    struct event_list list; /* with states and reasons as found by trial */
    struct event_set *set;  /* the same for consumers, by the same indices */
    size_t count;           /* of shapes: for CPUs as many as the set has groups */
    size_t sampled; /* the first groups; each of the others has one shared event and no samples */
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

/* Whether the group is to be opened on that CPU: that of a shared event only on the event's own. */
bool group_is_on(const struct group_plan *plan, size_t group, int cpu);

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
