#include "engine/ledger_credit.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

void ledger_waits_release(struct ledger_waits *waits)
{
    free(waits->ready);
    free(waits->cpus);
}

void ledger_waits_begin(struct ledger_waits *waits, bool wanted, bool wakeups)
{
    for (size_t i = 0; i < waits->ready_count; i++)
        waits->ready[i]->waits->queued = false;
    waits->ready_count = 0;
    if (waits->cpus)
        memset(waits->cpus, 0, waits->cpu_room * sizeof(*waits->cpus));
    waits->wanted = wanted;
    waits->wakeups = wakeups;
}

struct waits *ledger_waits_cpu(struct ledger_waits *waits, int cpu)
{
    mem_grow(&waits->cpus, &waits->cpu_room, (size_t)cpu + 1, sizeof(*waits->cpus));
    return &waits->cpus[cpu];
}

/* One without a record of it until now, even of its birth, has slept since counting began. */
static struct task_waits *ledger_waits_of(const struct ledger_waits *waits, struct task *task)
{
    struct task_waits *of = task->waits;
    if (of->until == 0) {
        of->state = WAITS_BLOCKED;
        of->until = of->since = waits->began;
    }
    if (of->loss != waits->losses)
        of->state = WAITS_UNKNOWN;
    of->loss = waits->losses;
    return of;
}

/* Its waiting is to be in each snapshot, whether or not a record comes. */
static void ledger_waits_queue(struct ledger_waits *waits, struct task *task)
{
    if (task->waits->queued || task->ended || !waits_ready(task->waits))
        return;
    mem_grow(&waits->ready, &waits->ready_room, waits->ready_count + 1, sizeof(*waits->ready));
    waits->ready[waits->ready_count++] = task;
    task->waits->queued = true;
}

void ledger_waits_run(struct ledger_waits *waits, struct task *task, int cpu, uint64_t from,
                      uint64_t until, bool known)
{
    struct task_waits *of = ledger_waits_of(waits, task);
    if (!known)
        of->state = WAITS_UNKNOWN;
    waits_run(of, known ? from : until, until, waits->wakeups, ledger_waits_cpu(waits, cpu));
}

void ledger_waits_leave(struct ledger_waits *waits, struct task *task, int cpu,
                        const struct record *r)
{
    waits_leave(ledger_waits_of(waits, task), r->time, r->preempted, ledger_waits_cpu(waits, cpu));
    ledger_waits_queue(waits, task);
}

void ledger_waits_wake(struct ledger_waits *waits, struct task *task, const struct record *r)
{
    if (!task)
        return;
    if (r->kind == RECORD_FORK && task->waits->until == 0) {
        task->waits->loss = waits->losses;
        waits_born(task->waits, r->time);
    }
    struct task_waits *of = ledger_waits_of(waits, task);
    if (r->kind != RECORD_FORK)
        waits_wake(of, r->time);
    ledger_waits_queue(waits, task);
}

void ledger_waits_cut(struct ledger_waits *waits, struct task_table *task_table, uint64_t time)
{
    size_t kept = 0;
    for (size_t i = 0; i < waits->ready_count; i++) {
        struct task *task = waits->ready[i];
        struct task_waits *of = ledger_waits_of(waits, task);
        of->queued = !task->ended && waits_ready(of);
        if (!of->queued)
            continue;
        waits_pass(of, time, task->cpu >= 0 ? ledger_waits_cpu(waits, task->cpu) : NULL);
        task_table_touch(task_table, task);
        waits->ready[kept++] = task;
    }
    waits->ready_count = kept;
}
