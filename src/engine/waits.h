/* Where a thread's time goes while it is on no CPU: it waits for one, or sleeps. Pure: from the
 * times of its switches and wake-ups, or from what /proc says of it. */
#ifndef ENGINE_WAITS_H
#define ENGINE_WAITS_H

#include "sample/snapshot.h"

/* Cumulative, of a task or a CPU; times in ns. See event/event_set.h. */
struct waits {
    uint64_t of[SCHEDULER_EVENTS]; /* SCHEDULER_LATENCY_MAX: since the last snapshot */
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
    uint64_t since; /* when its state began */
    bool whole;     /* ... as a record says; else it may have been before */
    uint64_t loss;  /* the number of losses of records that its state knows of */
    int origin;  /* the CPU on which it was born or woken: it waits for that one until it has run */
    bool queued; /* is in the ledger's list of tasks that may wait for a CPU */
    /* Not 0: it was on its CPU or in the queue of it since then, and the ledger did not look yet
     * who had it meanwhile (`wait_takers`). */
    uint64_t resident;
    /* Where no records of wake-ups exist: waiting by /proc (run_delay), ns, when it was read last;
     * and what has ended since by the records. */
    bool delay_known;
    uint64_t delay, ended_wait, ended_block, returns;
    uint64_t ahead; /* added by waits_compare() before the delay had it */
    /* Of a long wait: who woke it, and who had the CPU for most of it. */
    pid_t waker, taker;
    bool interrupt;
    uint64_t taken;
    struct wait_facts *facts; /* since the last snapshot, which takes them; NULL: none */
};

void task_waits_free(struct task_waits *waits); /* NULL is fine */

/* Adds the time up to that moment (monotonic, ns) as waiting or sleeping, by the thread's state.
 * `cpu` (NULL: none) gets what it waited, too. */
void waits_pass(struct task_waits *waits, uint64_t time, struct waits *cpu);

/* The thread got a CPU at `from` and kept it at least up to `until`: adds what it waited before.
 * wakes: there are records of wake-ups. */
void waits_run(struct task_waits *waits, uint64_t from, uint64_t until, bool wakes,
               struct waits *cpu);
/* The thread left its CPU at that moment; preempted: it could have gone on. */
void waits_leave(struct task_waits *waits, uint64_t time, bool preempted, struct waits *cpu);
/* The thread was woken at that moment, and waits for a CPU. */
void waits_wake(struct task_waits *waits, uint64_t time);
/* The thread was born at that moment, and waits for its first CPU. */
void waits_born(struct task_waits *waits, uint64_t time);

/* Whether the thread waits for a CPU. */
bool waits_ready(const struct task_waits *waits);

/* Moves time from sleeping to waiting, where there are no records of wake-ups: `delay` is what
 * /proc says the thread has waited since its birth, ns; what exceeds its preemptions came after
 * wake-ups. `cpu` gets that, too. */
void waits_take_delay(struct task_waits *waits, uint64_t delay, struct waits *cpu);

void waits_add(struct waits *waits, const struct waits *more);

/* What /proc says of a thread at a moment (monotonic ns), and the time that it has been on CPUs. */
struct waits_glance {
    uint64_t time, oncpu, delay, voluntary, forced;
    bool runnable; /* on a CPU or waiting for one */
};

/* Adds what a thread did between two such moments. /proc adds a wait to the delay only when it
 * ends; so of a thread that was runnable at both moments, and did not leave a CPU by itself between
 * them, all time off the CPU counts as waiting. */
void waits_compare(struct task_waits *waits, const struct waits_glance *before,
                   const struct waits_glance *now);

/* Writes the values of the kept events (event/event_set.h) of a task or CPU into its counts. age:
 * ns since counting began, above 0. The largest latency begins at 0 again. */
void waits_fill(struct waits *waits, bool of_task, uint64_t age, const struct event_set *set,
                struct counts *counts);

#endif
