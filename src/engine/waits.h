/* Where a thread's time goes while it is on no CPU: it waits for one, or sleeps. Pure: from the
 * times of its switches and wake-ups, or from what /proc says of it. */
#ifndef ENGINE_WAITS_H
#define ENGINE_WAITS_H

#include "sample/snapshot.h"

/* Cumulative, of a task or a CPU; times in ns. See event/scheduler.h. */
struct waits {
    uint64_t wait, block, preempted, yielded, wakeups, latency;
    uint64_t latency_max; /* since the last snapshot */
};

enum waits_state {
    WAITS_UNKNOWN,
    WAITS_RUNNING,
    WAITS_BLOCKED,
    WAITS_PREEMPTED,
    WAITS_WOKEN, /* after a wake-up, not yet on a CPU */
};

struct task_waits { /* zeroed: nothing is known of it */
    struct waits sum;
    enum waits_state state;
    uint64_t until; /* monotonic ns: the time up to here is in `sum`, or was on a CPU, or unknown */
    uint64_t since; /* when it was preempted or woken */
    uint64_t loss;  /* the number of losses of records that its state knows of */
    bool queued;    /* is in the ledger's list of tasks that may wait for a CPU */
    /* Where no records of wake-ups exist: waiting by /proc (run_delay), ns, when it was read last;
     * and what has ended since by the records. */
    bool delay_known;
    uint64_t delay, ended_wait, ended_block, returns;
    uint64_t ahead; /* added by waits_compare() before the delay had it */
};

/* Adds the time up to then by its state. `cpu` (NULL: none) gets what it waited, too. */
void waits_pass(struct task_waits *waits, uint64_t time, struct waits *cpu);

/* It got a CPU at `from`, and has it until then at least. wakes: there are records of wake-ups. */
void waits_run(struct task_waits *waits, uint64_t from, uint64_t until, bool wakes,
               struct waits *cpu);
/* It left the CPU at that time. */
void waits_leave(struct task_waits *waits, uint64_t time, bool preempted, struct waits *cpu);
void waits_wake(struct task_waits *waits, uint64_t time);
/* It was born then, and waits for its first CPU. */
void waits_born(struct task_waits *waits, uint64_t time);

/* Whether it waits for a CPU. */
bool waits_ready(const struct task_waits *waits);

/* Corrects what it slept by the time that /proc says it waited, ns since its birth: the part that
 * is more than its preemptions is from wake-ups. */
void waits_take_delay(struct task_waits *waits, uint64_t delay);

/* What /proc says of a thread at a moment (monotonic ns), and the time that it has been on CPUs. */
struct waits_glance {
    uint64_t time, oncpu, delay, voluntary, forced;
    bool runnable; /* on a CPU or waiting for one */
};

/* Adds what a thread did between two moments. A wait that goes on is not in the delay: a thread
 * that was runnable at both moments and never left a CPU by itself meanwhile has waited whenever it
 * was on none. */
void waits_compare(struct task_waits *waits, const struct waits_glance *before,
                   const struct waits_glance *now);

/* Fills in the kept events of a task, or of a CPU. age: ns since counting began; above 0. The
 * largest begins at 0 again. */
void waits_fill(struct waits *waits, bool of_task, uint64_t age, const struct event_set *set,
                struct counts *counts);

#endif
