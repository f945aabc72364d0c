/* The internal header of the ledger (engine/ledger.h): its state, which task has a CPU from when to
 * when, which task is credited with the counts of a sample, and what tasks wait for. To credit
 * means to add time or counts to the one account that they belong to: a task, idle or unattributed.
 */
#ifndef ENGINE_LEDGER_CREDIT_H
#define ENGINE_LEDGER_CREDIT_H

#include "engine/cgroup_table.h"
#include "engine/ring.h"
#include "event/event.h"

/* --- Waiting: what tasks do while they have no CPU, from records of switches and wake-ups. Each
 * CPU adds up how long tasks waited for it. --- */

/* What ran on a CPU since the last snapshot, one slice after the other. A task that waited for that
 * CPU looks here for who had it: when it gets the CPU after a wake-up, and if it was preempted only
 * when it sleeps, comes to another CPU, or at a snapshot, for all its waits since it came. So a
 * switch costs one more slice, and a step for each task that waits. */
struct waits_slice {
    uint64_t from, until;
    struct task *task;
    struct process *process; /* its */
};

enum { WAITS_SLICES_MAX = 4096 }; /* of a CPU; then those who wait look before their wait ends */

struct waits_cpu {
    struct waits sum;
    uint64_t since; /* monotonic ns: all slices since then are there */
    size_t count, room;
    struct waits_slice *slices;
};

struct ledger_waits {
    bool wanted;     /* else nothing calls the rest */
    bool wakeups;    /* there are records of wake-ups; else the task table's lookup says delays */
    uint64_t began;  /* monotonic ns: when counting began */
    uint64_t losses; /* times that records may have been lost: what tasks do is not known then */
    size_t ready_count, ready_room, cpu_room;
    struct task **ready;    /* that waited for a CPU at the last record about them */
    struct waits_cpu *cpus; /* by the number of the CPU */
    bool part;              /* only slices of a cgroup's tasks are known */
    bool alone;             /* there is one CPU, so that nothing waits for another */
};

void ledger_waits_release(struct ledger_waits *waits);
/* Sets all counts to 0, and notes which records there will be. */
void ledger_waits_begin(struct ledger_waits *waits, bool wanted, bool wakeups);

/* A CPU's; the pointer is valid until the next call. */
struct waits_cpu *ledger_waits_cpu(struct ledger_waits *waits, int cpu);

/* Notes that the task had that CPU between two moments; known: it is certain that no other had it.
 */
void ledger_waits_run(struct ledger_waits *waits, struct task *task, int cpu, uint64_t from,
                      uint64_t until, bool known);
/* Takes a switch record by which the task leaves that CPU. */
void ledger_waits_leave(struct ledger_waits *waits, struct task *task, int cpu,
                        const struct record *r);
/* Takes the record of a task's wake-up or birth. task NULL: it is not known; does nothing. */
void ledger_waits_wake(struct ledger_waits *waits, struct task *task, const struct record *r);
/* At the end of a snapshot's interval: adds the time up to then for all tasks that wait for a CPU,
 * and marks them for the snapshot. */
void ledger_waits_cut(struct ledger_waits *waits, struct task_table *task_table, uint64_t time);

/* One perf group, one of whose events is context-switches with a period of 1. */
struct ledger_group {
    size_t values;   /* positions in a record */
    int *event_of;   /* by position the index of the event, -1: not a user's event */
    size_t switches; /* position of context-switches; the last one is the ticker, which counts ns */
    bool steady;     /* it counts whenever it is enabled (engine/group.h) */
};

/* The layout of counts. */
struct ledger_layout {
    struct event_set *events;
    enum idle_share *idle;       /* for each event */
    struct ledger_group *groups; /* events->groups of them */
    size_t shared; /* number of groups, the last ones, that write no records: their counts come
                    * through ledger_close_group and belong to no task, or they are kept */
    /* The groups count only the tasks of a cgroup, and switch records are only about those: while
     * other tasks or idle have a CPU, nothing is counted or written, and no group is enabled. */
    bool members_only;
    /* Switches write no samples, since no event is to be read at them: slices are known from switch
     * records alone. */
    bool unsampled;
    bool cgroups; /* samples name the cgroup of the task */
    bool waits;   /* an event of the set is kept, from switch records */
    bool wakeups; /* there are records of wake-ups; else the task table's lookup says delays */
};

/* The origin of a record. */
struct ledger_origin {
    size_t cpu;   /* number from ledger_add_cpu */
    size_t group; /* samples: the group of the counts */
    bool tick;    /* samples: written by the ticker within a slice, not by a switch at its end */
};

/* Counts of one group on one CPU at its last record there. */
struct group_state {
    uint64_t *value; /* by position, as records carry them */
    struct group_time at;
    uint64_t zero;        /* the time at which `enabled` was 0 */
    uint64_t time;        /* end of the enabled time that has been credited */
    uint64_t lent;        /* ns of that since the last record */
    bool turns;           /* with members_only: it did not count all of the time */
    uint64_t slice;       /* cpu.slice at that record */
    bool slice_ended;     /* that record was written at the end of its slice */
    uint64_t silent_idle; /* cpu.silent_idle at that record */
    bool gap;             /* records were lost since, or a task ran that writes none */
};

/* Tasks that have exited on a CPU while the end of their last slice there has not been seen. Each
 * wrote an EXIT record in that slice. The sample at the slice's end may have -1 instead of the pid,
 * if the pid is gone by then (kernel/events/core.c, perf_event_pid_type()). */
enum { EXITING_TASKS_MAX = 16 };

struct exiting_tasks {
    size_t count;
    bool done;                             /* the latest of them wrote its last sample */
    size_t group;                          /* the first group that wrote it */
    struct task *tasks[EXITING_TASKS_MAX]; /* the latest last; `exiting` is set */
};

struct cpu {
    int number;
    bool gone;                  /* offline */
    bool gone_listed;           /* its last counts were in a snapshot */
    struct group_state *groups; /* one for each group */
    struct counts carried;      /* counts from before its counters were opened again */
    uint64_t busy;              /* ns */
    uint64_t ahead;             /* part of busy after ledger.cut */
    uint64_t boundary;          /* end of the credited time on this CPU */
    bool time_gap;              /* it is not known which tasks ran since then */
    uint64_t slice;             /* number of tasks that were seen to begin running */
    uint64_t slice_start;       /* when the last of them began */
    bool slice_known;       /* a switch since that slice began, or was first seen, would be known */
    uint64_t witness_from;  /* switch records are written from that time on, UINT64_MAX: not */
    uint64_t silent_idle;   /* ns from the end of a slice to a switch record that names idle */
    unsigned switch_budget; /* samples that SWITCH records may stay off: see earn_switch_budget() */
    unsigned lapses;        /* times that a long slice was hidden while they were off */
    bool records_off;       /* SWITCH records are off: from a full budget until it is used up */
    bool idle_writes;       /* the idle task writes records */
    bool interrupted;       /* a group did not count all of the time */
    bool out_known;         /* the last switch record was a switch out: */
    pid_t out;              /* of that thread */
    bool running_known;     /* the last record shows which task has the CPU: */
    pid_t running, process; /* a thread, and its process; 0: the idle task */
    bool mute;              /* wrote nothing since a cut that asked it for a sample */
    struct exiting_tasks exiting; /* the last member: its list is long and rarely needed */
};

struct ledger {
    const struct ledger_layout *layout;
    struct task_table
        task_table; /* parts that correct counts change it too (engine/launch_overhead.h) */
    size_t cpu_count, cpu_room;
    struct cpu *cpus;
    struct counts idle, unattributed;
    uint64_t lost, throttled; /* records since the start */
    uint64_t cut;             /* ns: end of the next snapshot; UINT64_MAX: none */
    bool lost_since;          /* records were lost since the last snapshot */
    struct ledger_waits waits;
    struct cgroup_table cgroups; /* where layout->cgroups */
    bool paths_known;            /* those in records of cgroups are those of /proc */
};

/* Credits what a sample of that group has counted since the one before. tick: a timer wrote it
 * within a slice, not a switch at its end. */
void ledger_take_sample(struct ledger *ledger, struct cpu *cpu, size_t group, bool tick,
                        const struct record *r);
/* Takes the next samples of switches from the ring of that CPU and group as long as they are
 * earlier than `limit` and each is of the task that it names as a whole. The same as
 * ledger_take_sample() for each of them, in fewer steps. Returns how many. */
size_t ledger_take_plain(struct ledger *ledger, size_t cpu, size_t group, struct ring *ring,
                         uint64_t limit);
/* Take a switch record, by which a task gets that CPU or leaves it. */
void ledger_switch_in(struct ledger *ledger, struct cpu *cpu, const struct record *r);
void ledger_switch_out(struct ledger *ledger, struct cpu *cpu, const struct record *r);

/* Credits what the group has counted since its last record to unattributed. */
void ledger_credit_nobody(struct ledger *ledger, struct cpu *cpu, size_t group,
                          const struct group_read *read);
/* Notes that it is not known which tasks ran on that CPU since its last record. */
void ledger_lose(struct ledger *ledger, struct cpu *cpu);
/* Credits a CPU's time up to that moment (ns): to the task that is known to have the CPU, else to
 * no task. What comes later about that time changes nothing. */
void ledger_reach(struct ledger *ledger, struct cpu *cpu, uint64_t time);

/* ledger_wants_switches() for a CPU of the ledger. */
bool cpu_wants_switches(const struct ledger *ledger, const struct cpu *cpu);
/* Whether the last record is a switch to the idle task. */
bool cpu_idle_known(const struct cpu *cpu);

/* Adds to `to` what a CPU's counters have counted since they were opened, up to the last record of
 * each group. */
void cpu_add_up(const struct ledger *ledger, const struct cpu *cpu, struct counts *to);

/* Adds a task whose EXIT record came; where there are too many, the oldest is dropped. */
void exiting_tasks_add(struct exiting_tasks *exiting, struct task *task);
void exiting_tasks_forget(struct exiting_tasks *exiting, const struct task *task);

#endif
