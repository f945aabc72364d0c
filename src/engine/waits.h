/* Where a thread's time goes while it is on no CPU: it waits for one, or sleeps. Pure: from the
 * times of its switches and wake-ups, or from what /proc says of it. */
#pragma once

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
    WAITS_WOKEN,  /* after a wake-up or its birth, not yet on a CPU */
    WAITS_SILENT, /* it left a CPU without a record: it sleeps, or waits for one */
};

struct task_waits { /* zeroed: nothing is known of it */
    /* What each record of the task needs is first, in 64 bytes. */
    uint64_t until; /* monotonic ns: the time up to here is in `sum`, or was on a CPU, or unknown */
    uint64_t since; /* when its state began */
    uint64_t loss;  /* the number of losses of records that its state knows of */
    /* Not 0: it was on `cpu` or in its queue since then, first by a preemption, and who had the
     * CPU meanwhile is not noted. */
    uint64_t present;
    struct wait_facts *facts; /* since the last snapshot, which takes them; NULL: none */
    uint64_t block;           /* the log that `lane` is of: see engine/ledger_waits.h; 0: none */
    uint32_t lane;
    int cpu; /* whose queue it is in while it waits, as far as records say; -1: not known */
    enum waits_state state : 8;
    bool whole;     /* its state began at `since`, as a record says; else it may have been before */
    bool queued;    /* is in the ledger's list of tasks that may wait for a CPU */
    bool placed;    /* `cpu` is known by a record of that CPU, or of a migration */
    bool interrupt; /* woken by one */
    bool silent;    /* it was WAITS_SILENT since `listed` */
    bool delay_known;
    struct waits sum;
    pid_t waker, taker;
    uint64_t taken;        /* by the process `taker`, in the part of its wait that was looked at */
    uint64_t listed, told; /* ns since counting began: up to a snapshot that had it, and in those
                            * without silence: of others it is not known how it waited */
    /* Where no records of wake-ups exist: waiting by /proc (run_delay), ns, when it was read last;
     * and what has ended since by the records. */
    uint64_t delay, ended_wait, ended_block, returns;
    uint64_t ahead; /* added by waits_compare() before the delay had it */
};

void task_waits_free(struct task_waits *waits); /* NULL is fine */

static inline uint64_t waits_span(uint64_t from, uint64_t to)
{
    return to > from ? to - from : 0;
}

/* Whether the thread waits for a CPU. */
static inline bool waits_ready(const struct task_waits *waits)
{
    return waits->state == WAITS_PREEMPTED || waits->state == WAITS_WOKEN;
}

/* Adds the time up to that moment (monotonic, ns) as waiting or sleeping, by the thread's state.
 * `cpu` (NULL: none) gets what it waited, too. */
static inline void waits_pass(struct task_waits *waits, uint64_t time, struct waits *cpu)
{
    uint64_t span = waits_span(waits->until, time);
    if (waits_ready(waits)) {
        waits->sum.of[SCHEDULER_WAIT] += span;
        if (cpu)
            cpu->of[SCHEDULER_WAIT] += span;
    } else if (waits->state == WAITS_BLOCKED) {
        waits->sum.of[SCHEDULER_BLOCK] += span;
    } else if (waits->state == WAITS_SILENT) {
        waits->silent |= span > 0;
    }
    waits->until += span;
}

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
 * ns since counting began, above 0; told: for so many of these they are known. The largest latency
 * begins at 0 again. */
void waits_fill(struct waits *waits, bool of_task, uint64_t age, uint64_t told,
                const struct event_set *set, struct counts *counts);
