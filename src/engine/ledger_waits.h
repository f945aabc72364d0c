/* A part of the ledger: what tasks do while they have no CPU, from records of switches and
 * wake-ups. Each CPU has what tasks waited for it. */
#ifndef ENGINE_LEDGER_WAITS_H
#define ENGINE_LEDGER_WAITS_H

#include "engine/task_table.h"

struct ledger_waits {
    bool wanted;     /* else nothing calls the rest */
    bool wakeups;    /* there are records of wake-ups; else the task table's lookup says delays */
    uint64_t began;  /* monotonic ns: when counting began */
    uint64_t losses; /* times that records may have been lost: what tasks do is not known then */
    size_t ready_count, ready_room, cpu_room;
    struct task **ready; /* that waited for a CPU at the last record about them */
    struct waits *cpus;  /* by the number of the CPU */
};

void ledger_waits_release(struct ledger_waits *waits);
/* All counts begin at 0. */
void ledger_waits_begin(struct ledger_waits *waits, bool wanted, bool wakeups);

/* Of a CPU; valid until another CPU is asked for. */
struct waits *ledger_waits_cpu(struct ledger_waits *waits, int cpu);

/* The task has had that CPU between two moments; known: no other had it meanwhile. */
void ledger_waits_run(struct ledger_waits *waits, struct task *task, int cpu, uint64_t from,
                      uint64_t until, bool known);
/* A switch record: it leaves the CPU. */
void ledger_waits_leave(struct ledger_waits *waits, struct task *task, int cpu,
                        const struct record *r);
/* A record of its wake-up, or of its birth. task NULL: not known. */
void ledger_waits_wake(struct ledger_waits *waits, struct task *task, const struct record *r);
/* A snapshot ends at that time: it lists the tasks that wait for a CPU. */
void ledger_waits_cut(struct ledger_waits *waits, struct task_table *task_table, uint64_t time);

#endif
