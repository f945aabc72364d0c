/* The double-entry bookkeeping of the system-wide engine: turns the records of all CPUs, in the
 * order of time, into counts of every thread. The engine owns it and calls it from one thread. It
 * makes no system call: it gets decoded records, and asks for names through a lookup.
 *
 * What a group counted between two of its records on a CPU is credited to the task that the second
 * record names, if only that task can have run in between; else to `unattributed`.
 * Invariant: each count is credited once to a task, to idle or to unattributed, and once to its
 * CPU; so for each event tasks + idle + unattributed = the sum of the CPUs (ledger_balanced()). */
#pragma once

#include "engine/cgroup_table.h"
#include "engine/group.h"
#include "engine/ledger_waits.h"
#include "engine/ring.h"

/* The layout of counts. */
struct ledger_layout {
    struct event_set *events;
    enum idle_share *idle; /* for each event */
    /* events->groups of them; of those that write records, one event is context-switches with a
     * period of 1, and the last one is the ticker, which counts ns */
    const struct group_shape *groups;
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
    /* The tracepoint whose records tell wake-ups; 0: there are none, and the task table's lookup
     * says delays. */
    uint64_t wakeups;
    struct decode_migration migrations;
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

/* Credits what a sample of that group has counted since the one before. */
void ledger_take_sample(struct ledger *ledger, struct cpu *cpu, size_t group,
                        const struct record *r);
/* Takes the next samples of switches from the ring of that CPU and group as long as they are
 * earlier than `limit` and each is of the task that it names as a whole. The same as
 * ledger_take_sample() for each of them, in fewer steps. Returns how many. */
size_t ledger_take_plain(struct ledger *ledger, size_t cpu, size_t group, struct ring *ring,
                         uint64_t limit);
/* --- What the engine calls --- */

/* An empty ledger, which borrows the lookup; ledger_free() frees it. */
struct ledger *ledger_new(const struct task_table_lookup *lookup);
void ledger_free(struct ledger *ledger);

/* Starts counting other events: sets all counts to 0, removes all CPUs, and keeps the tasks.
 * Borrows the layout until the next call. */
void ledger_begin(struct ledger *ledger, const struct ledger_layout *layout);

/* Adds a CPU whose counters start at 0 at that time (monotonic, ns, as all times here); returns its
 * index for the calls below. */
size_t ledger_add_cpu(struct ledger *ledger, int cpu, uint64_t time);

/* Adds a CPU that is not counted and is in no snapshot: it only reports births, names and ends. */
size_t ledger_follow_cpu(struct ledger *ledger, int cpu, uint64_t time);

/* Removes a CPU that went offline, after its last record was taken. The next snapshot lists it for
 * the last time, or the one after that if some of its time is after the cut. */
void ledger_remove_cpu(struct ledger *ledger, size_t cpu);

/* Notes that a CPU's counters were opened again and start at 0 at that time; its sums go on. */
void ledger_restart_cpu(struct ledger *ledger, size_t cpu, uint64_t time);

/* Takes the last counts of a group that is closed next, or the present ones of a group that writes
 * no records: what it counted since its last record, or call, is unattributed. */
void ledger_close_group(struct ledger *ledger, size_t cpu, size_t group,
                        const struct group_read *read);

/* Takes the present counts of a group whose ring had no room for records: what it counted since its
 * last record is unattributed, and older records that come later are ignored. */
void ledger_settle(struct ledger *ledger, size_t cpu, size_t group, const struct group_read *read);

/* The time (ns) of a sample that does not carry it: when its group was enabled, known from the last
 * tick, plus how long the group has been enabled. */
static inline uint64_t ledger_time(const struct ledger *ledger, size_t cpu, size_t group,
                                   const struct record *record)
{
    return ledger->cpus[cpu].groups[group].zero + record->read->enabled;
}

/* The part of ledger_take() for records that are no samples. */
void ledger_take_nonsample(struct ledger *ledger, size_t cpu, const struct record *record);

/* Takes one record of a CPU; group: whose counts a sample has. Records of all CPUs must come in the
 * order of time. Inline, since it is called for each context switch of the machine. */
static inline void ledger_take(struct ledger *ledger, size_t cpu, size_t group,
                               const struct record *record)
{
    ledger->cpus[cpu].mute = false;
    if (record->kind == RECORD_SAMPLE)
        ledger_take_sample(ledger, &ledger->cpus[cpu], group, record);
    else
        ledger_take_nonsample(ledger, cpu, record);
}

/* Whether SWITCH records of that CPU are needed to tell slices apart: if the kernel writes no
 * samples for the idle task, if a group does not count all of the time, and at the start until the
 * idle task is seen. */
bool ledger_wants_switches(const struct ledger *ledger, size_t cpu);

/* Notes that the kernel writes SWITCH records of a CPU from that time on; UINT64_MAX: no longer. */
void ledger_witness(struct ledger *ledger, size_t cpu, uint64_t from);

/* Adds a task that was found in /proc at that time, so that it is listed although it has not run.
 */
void ledger_adopt(struct ledger *ledger, pid_t pid, pid_t tid, uint64_t time);

/* Ends the interval of the next snapshot at that moment, for all CPUs: later time belongs to the
 * interval after it, so no CPU has more time in an interval than the interval is long. Returns the
 * moment, which is later than asked if a later record was taken already. Without a cut a snapshot
 * has everything up to the last record of each CPU. */
uint64_t ledger_cut(struct ledger *ledger, uint64_t time);

/* Whether it is still unknown which task had that CPU at the cut, since no record after the cut has
 * come. False for a CPU that has written none since an earlier cut at which it was awaited in vain:
 * its idle task writes no records. */
bool ledger_awaits(const struct ledger *ledger, size_t cpu);

/* Fills an empty snapshot of the same event set: with the tasks that ran or ended since the last
 * call, or all of them, the CPUs, idle and unattributed. */
void ledger_snapshot(struct ledger *ledger, struct snapshot *snapshot, bool all);

/* Whether the invariant holds, with tasks that were freed and CPUs that were removed. In builds
 * with sanitizers each snapshot checks it, and aborts. */
bool ledger_balanced(const struct ledger *ledger);

/* Forgets a task that is about to be freed: the `forget` of task_table_list(). */
void ledger_forget(void *ledger, struct task *task);

/* Whether a task of the watched command has ended, and the record at the end of its last slice has
 * not come. */
bool ledger_awaits_command(const struct ledger *ledger);
