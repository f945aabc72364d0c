/* Perf groups, for all engines: making groups from a list of events, and opening a group for a CPU
 * or a task. */
#pragma once

#include "engine/decode.h"
#include "system/caps.h"

/* What an engine adds to the user's events. */
struct group_style {
    bool samples;                    /* each group has `switches` and `ticker` and writes samples */
    struct perf_event_attr switches; /* the same event of the user's shares its counter */
    struct perf_event_attr ticker;   /* a clock; a user's clock can replace it */
    struct perf_event_attr filler;   /* leads a group that would be empty */
    bool cgroup;                     /* the target's pid is a descriptor of a cgroup's directory */
    bool pinned; /* takes counters from unpinned groups: perf_event_open(2), "pinned" */
    /* For one task: attributes of perf_event_open(2). With the first two, counts and times of a
     * group are the sums over all tasks that inherited it. */
    bool inherit;        /* new threads and child processes too (with group reads since 4.13) */
    bool inherit_thread; /* ... only new threads (since 5.13) */
    bool on_exec;        /* enable_on_exec: starts when the task executes a program */
    bool until_exec;     /* remove_on_exec: stops then (since 5.13) */
    /* inherit_stat: a task that inherited the group writes what each event counted when it ends, in
     * DECODE_EXIT_FORMAT; reads of an event have that format, too. */
    bool at_exit;
};

/* What a group counts: all tasks of a CPU (pid -1), a cgroup's tasks on a CPU (pid: see
 * group_style), or one task on any CPU (cpu -1). */
struct group_target {
    pid_t pid;
    int cpu;
};

/* One group: its values by position, as in reads and samples. Position 0 is the leader, a hardware
 * event if there is one: a group led by a software event is moved when a hardware event joins it,
 * which waits for all CPUs (kernel/events/core.c, perf_event_open, "move_group":
 * synchronize_rcu()). */
struct group_shape {
    size_t group; /* of the event set */
    /* A CPU of the core type that this shape is for; -1: core types make no difference. A task
     * moves between core types, so its group is opened once for each, in consecutive shapes. */
    int core;
    bool again; /* not the first of these shapes: the first one has the time enabled already, only
                   the times running are added */
    size_t values;
    int *event_of;   /* index of the event at each position, -1: not the user's */
    size_t switches; /* position of the event `switches` */
    size_t ticker;   /* ... and of `ticker`, if the group samples */
    /* It has no hardware event, so the kernel never stops it for lack of a counter
     * (kernel/events/core.c, group_can_go_on()). It is `running` less than it is enabled all the
     * same, by some microseconds each time that others open events: the kernel takes all events of
     * the CPU off and on again then, with interrupts off, so that nothing is missed
     * (ctx_resched()). */
    bool steady;
};

/* A list of events as groups. There is always at least one group, for the times. */
struct group_plan {
    struct event_list list; /* with states and reasons from the trials */
    struct event_set *set;  /* the same for consumers, with the same indices */
    size_t count;           /* of shapes; for CPUs this is the number of groups, without those of
                             * events that perf does not count */
    size_t sampled; /* the first groups; each further one has one shared event and no samples */
    struct group_shape *shapes; /* behind them empty ones, for groups that perf does not count */
};

/* Fills a plan: packs the events of the list, which is copied, into groups that the kernel opens
 * for the target `trial`. An event that cannot be opened gets its state and reason in the plan's
 * set. */
void group_plan_make(struct group_plan *plan, const struct event_list *list,
                     const struct group_style *style, struct group_target trial,
                     const struct caps *caps);
void group_plan_release(struct group_plan *plan);
/* Releases the plan and returns its set, which the caller then owns and drops. */
struct event_set *group_plan_detach(struct group_plan *plan);

/* Whether the plan's shape of that index is to be opened on the CPU with that number: a shared
 * event's group only on the event's CPUs, all others on each. */
bool group_is_on(const struct group_plan *plan, size_t group, int cpu);

/* Opens one group of the plan for a target, disabled, and fills fds, one for each of its values. -1
 * with errno and nothing open: *refused is the position of the event that failed. */
int group_open(const struct group_plan *plan, size_t group, const struct group_style *style,
               struct group_target target, int *fds, size_t *refused);
/* Closes the first `count` descriptors, those that are not -1. Keeps errno. */
void group_close(int *fds, size_t count);

/* The size of a struct group_read with that many values, in uint64_t. */
size_t group_words(size_t values);
/* A zeroed buffer for a group of `values` values; the caller frees it. */
struct group_read *group_read_new(size_t values);
/* Reads the counts of an open group by its leader's descriptor, at once for all events. False on
 * failure. */
bool group_counts(int leader, size_t values, struct group_read *read);
