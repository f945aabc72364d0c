/* Who had the CPUs that tasks waited for: the part of the ledger that switch records, wake-ups and
 * migrations tell. The ledger owns it and gives it the records in the order of time.
 *
 * Each CPU has a log: its runs, one after the other from log->runs[0].until on. What no task had is
 * a run, too, so each run begins where the one before ends. A run names a lane, which stands for a
 * task in this log.
 * A stretch is a time in which a task was in the queue of that CPU, with the task's own runs in it.
 * Each run in a stretch that is not the task's own took from the task. So a switch costs one run,
 * a preemption nothing more, and the end of a wait after a wake-up one stretch.
 * Runs are added up over stretches when the log is full, and at a snapshot (waits_turn()): a step
 * for each run in a stretch, and one for each lane where the stretch is as long as the log.
 * Invariant: the stretches of a task cover what was added to its waiting time, and nothing twice;
 * so the parts that takers have of it sum to it, to the ns. */
#pragma once

#include "engine/task_table.h"

struct ledger_waits;

struct waits_run {
    uint64_t until;
    uint32_t lane;
};

/* What is known of a stretch. */
enum stretch_kind {
    STRETCH_MAYBE,     /* after a wake-up, perhaps in the queue of another CPU */
    STRETCH_WOKEN,     /* after a wake-up, in this queue */
    STRETCH_PREEMPTED, /* it could have gone on */
    STRETCH_KINDS,
};

struct waits_stretch {
    uint64_t start, end;
    uint32_t run;    /* a run near its end */
    uint32_t before; /* the task's one before of that kind; 0: none */
};

struct waits_lane {
    struct task *task; /* NULL: nobody */
    uint64_t sum;      /* of its runs, ns */
    uint32_t last[STRETCH_KINDS];
};

enum { WAITS_RUNS_MAX = 4096 }; /* of a log */

struct waits_log {
    int cpu;
    uint64_t block; /* changes when the log begins anew */
    struct waits sum;
    size_t run_count, stretch_count, stretch_room, lane_count, lane_room;
    struct waits_run *runs;          /* the first one only says where the second begins */
    struct waits_stretch *stretches; /* from 1 on */
    struct waits_lane *lanes;        /* the first ones are nobody's */
};

/* A record that came while a snapshot was made, and is of a time after it. */
struct waits_call {
    struct task *task;
    int cpu;
    void (*take)(struct ledger_waits *waits, struct task *task, int cpu, const struct record *r);
    struct record record; /* for that. Without `take` it runs, or migrates to that CPU at `until` */
    uint64_t from, until;
    bool known, migrates;
    pid_t tid; /* of the task, which may have left the table by then */
};

struct ledger_waits {
    bool wanted;     /* else nothing uses the rest */
    bool wakeups;    /* there are records of wake-ups; else the task table's lookup says delays */
    bool migrations; /* there are records of them */
    bool part;       /* only runs of a cgroup's tasks are known */
    bool alone;      /* there is one CPU, so that nothing waits for another */
    uint64_t began;  /* monotonic ns: when counting began */
    /* Monotonic ns: from then on each CPU has records of switches. A task that was born or woken
     * before may have run, and slept again, without one. */
    uint64_t whole;
    uint64_t losses; /* times that records may have been lost: what tasks do is not known then */
    uint64_t blocks; /* of all logs, so far */
    size_t ready_count, ready_room, log_count;
    struct task **ready;        /* that waited for a CPU at the last record about them */
    struct waits_log *logs;     /* by the number of the CPU */
    uint64_t over;              /* ns: longer waits are listed; 0: none */
    struct long_waits *longest; /* since the last snapshot; NULL: none */
    uint64_t cut;               /* the end of the snapshot that is being made; UINT64_MAX: none */
    size_t call_count, call_room;
    struct waits_call *calls;
    /* Scratch: what each lane took, and which lanes did; all 0, and none, in between. */
    size_t taken_room, lanes_room, lane_count;
    uint64_t *taken;
    uint32_t *lanes;
};

void ledger_waits_release(struct ledger_waits *waits);
/* Sets all counts to 0, and notes which records there will be. */
void ledger_waits_begin(struct ledger_waits *waits, bool wanted, bool wakeups, bool migrations);
void ledger_waits_add_cpu(struct ledger_waits *waits, int cpu);

/* Notes that the task had that CPU between two moments; known: it is certain that no other had it.
 */
void ledger_waits_run(struct ledger_waits *waits, struct task *task, int cpu, uint64_t from,
                      uint64_t until, bool known);
/* Notes that the task left that CPU. */
void ledger_waits_leave(struct ledger_waits *waits, struct task *task, int cpu,
                        const struct record *r);
/* Notes that the task has left that CPU without a record of its own: only that of the next one says
 * so, and it is not known whether it waits or sleeps. */
void ledger_waits_silent(struct ledger_waits *waits, struct task *task, int cpu,
                         const struct record *r);
/* Notes that a record on that CPU says that the task is woken, or born. */
void ledger_waits_wake(struct ledger_waits *waits, struct task *task, int cpu,
                       const struct record *r);
/* Notes that the task is in the queue of another CPU from that time on, or will be when it wakes.
 */
void ledger_waits_migrate(struct ledger_waits *waits, struct task *task, int cpu, uint64_t time);

/* At the end of a snapshot's interval: adds the time up to then for all tasks that wait for a CPU,
 * marks them for the snapshot, and gives each task its takers. */
void ledger_waits_cut(struct ledger_waits *waits, struct task_table *task_table, uint64_t time);

/* After the snapshot: applies the records that came since ledger_waits_cut() and are of times after
 * it, in their order; those about a task that has left the table are dropped. */
void ledger_waits_resume(struct ledger_waits *waits, const struct task_table *task_table);

/* The long waits since the last snapshot, with the names of their tasks; NULL: none. */
struct long_waits *ledger_waits_take(struct ledger_waits *waits, struct task_table *tasks,
                                     const struct snapshot *snapshot);
