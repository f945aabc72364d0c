#include "engine/ledger.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

struct ledger *ledger_new(const struct task_table_lookup *lookup)
{
    struct ledger *ledger = mem_alloc(sizeof(*ledger));
    ledger->cut = UINT64_MAX;
    task_table_init(&ledger->task_table, lookup);
    return ledger;
}

static void cpu_init(struct cpu *cpu, int number, const struct ledger_layout *layout, uint64_t time)
{
    *cpu = (struct cpu){.number = number, .boundary = time, .witness_from = UINT64_MAX};
    cpu->carried = counts_new(layout->events);
    cpu->groups = mem_array(layout->events->groups, sizeof(*cpu->groups));
    for (size_t g = 0; g < layout->events->groups; g++)
        cpu->groups[g] = (struct group_state){
            .value = mem_array(layout->groups[g].values, sizeof(uint64_t)),
            .zero = time,
            .time = time,
        };
}

static void cpu_release(struct cpu *cpu, const struct ledger_layout *layout)
{
    for (size_t g = 0; g < layout->events->groups; g++)
        free(cpu->groups[g].value);
    free(cpu->groups);
    counts_release(&cpu->carried);
}

static void ledger_drop_counts(struct ledger *ledger)
{
    for (size_t c = 0; c < ledger->cpu_count; c++)
        cpu_release(&ledger->cpus[c], ledger->layout);
    free(ledger->cpus);
    ledger->cpus = NULL;
    ledger->cpu_count = ledger->cpu_room = 0;
    counts_release(&ledger->idle);
    counts_release(&ledger->unattributed);
}

void ledger_free(struct ledger *ledger)
{
    if (!ledger)
        return;
    ledger_drop_counts(ledger);
    task_table_release(&ledger->task_table);
    ledger_waits_release(&ledger->waits);
    cgroup_table_release(&ledger->cgroups);
    free(ledger);
}

void ledger_begin(struct ledger *ledger, const struct ledger_layout *layout)
{
    ledger_drop_counts(ledger);
    ledger->layout = layout;
    ledger_waits_begin(&ledger->waits, layout->waits, layout->wakeups);
    ledger->waits.part = layout->members_only;
    ledger->task_table.members_only = layout->members_only;
    ledger->task_table.delays =
        layout->waits && !layout->wakeups && ledger->task_table.lookup->delay;
    task_table_count(&ledger->task_table, layout->events);
    ledger->idle = counts_new(layout->events);
    ledger->unattributed = counts_new(layout->events);
}

size_t ledger_add_cpu(struct ledger *ledger, int number, uint64_t time)
{
    mem_grow(&ledger->cpus, &ledger->cpu_room, ledger->cpu_count + 1, sizeof(*ledger->cpus));
    cpu_init(&ledger->cpus[ledger->cpu_count], number, ledger->layout, time);
    if (ledger->cpu_count == 0)
        ledger->waits.began = time;
    ledger->waits.alone = ledger->cpu_count == 0;
    return ledger->cpu_count++;
}

size_t ledger_follow_cpu(struct ledger *ledger, int number, uint64_t time)
{
    size_t index = ledger_add_cpu(ledger, number, time);
    ledger->cpus[index].gone = ledger->cpus[index].gone_listed = true;
    return index;
}

void ledger_remove_cpu(struct ledger *ledger, size_t index)
{
    ledger->cpus[index].gone = true;
}

void ledger_restart_cpu(struct ledger *ledger, size_t index, uint64_t time)
{
    struct cpu *cpu = &ledger->cpus[index], old = *cpu;
    cpu_init(cpu, old.number, ledger->layout, time);
    counts_copy(&cpu->carried, &old.carried, ledger->layout->events);
    cpu_add_up(ledger, &old, &cpu->carried);
    cpu->busy = old.busy;
    cpu->ahead = old.ahead;
    cpu_release(&old, ledger->layout);
}

/* --- Tasks --- */

void ledger_adopt(struct ledger *ledger, pid_t pid, pid_t tid, uint64_t time)
{
    struct task *task = task_table_adopt(&ledger->task_table, pid, tid, time);
    if (!task)
        return;
    if (ledger->layout->members_only && !task->member) /* it was not listed before */
        task_table_touch(&ledger->task_table, task);
    task->member = true;
}

/* --- Snapshots --- */

bool ledger_balanced(const struct ledger *ledger)
{
    const struct event_set *events = ledger->layout->events;
    struct counts credited = counts_new(events), counted = counts_new(events);
    task_table_add_up(&ledger->task_table, &credited);
    counts_add(&credited, &ledger->idle, events);
    counts_add(&credited, &ledger->unattributed, events);
    for (size_t c = 0; c < ledger->cpu_count; c++) {
        counts_add(&counted, &ledger->cpus[c].carried, events);
        cpu_add_up(ledger, &ledger->cpus[c], &counted);
    }
    bool balanced = memcmp(credited.value, counted.value, events->count * sizeof(uint64_t)) == 0;
    counts_release(&credited);
    counts_release(&counted);
    return balanced;
}

void ledger_snapshot(struct ledger *ledger, struct snapshot *snapshot, bool all)
{
    const struct event_set *events = ledger->layout->events;
    for (size_t c = 0; ledger->cut < UINT64_MAX && c < ledger->cpu_count; c++)
        ledger_reach(ledger, &ledger->cpus[c], ledger->cut);
    ledger->cut = UINT64_MAX;
    if (DEBUG_CHECKS && !ledger_balanced(ledger))
        abort();
    if (ledger->lost_since)
        task_table_sweep(&ledger->task_table);
    ledger->lost_since = false;
    ledger_waits_cut(&ledger->waits, &ledger->task_table, snapshot->time);
    snapshot->long_waits = ledger_waits_take(&ledger->waits, &ledger->task_table, snapshot);
    if (ledger->layout->cgroups)
        snapshot->cgroups = cgroup_table_names(&ledger->cgroups);
    task_table_list(&ledger->task_table, snapshot, all, ledger_forget, ledger);
    snapshot->has_cpus = true;
    uint64_t age = snapshot->time - snapshot->started;
    for (size_t c = 0; c < ledger->cpu_count; c++) {
        struct cpu *cpu = &ledger->cpus[c];
        if (cpu->gone && cpu->gone_listed)
            continue;
        cpu->gone_listed = cpu->gone && cpu->ahead == 0; /* that is for the next snapshot */
        struct cpu_sample *sample = snapshot_add_cpu(snapshot);
        sample->cpu = cpu->number;
        sample->busy = cpu->busy - cpu->ahead;
        cpu->ahead = 0;
        counts_copy(&sample->counts, &cpu->carried, events);
        cpu_add_up(ledger, cpu, &sample->counts);
        if (!ledger->waits.wanted)
            continue;
        struct waits waits = ledger_waits_cpu(&ledger->waits, cpu->number)->sum;
        if ((size_t)cpu->number < ledger->task_table.late_room)
            waits_add(&waits, &ledger->task_table.late[cpu->number]);
        waits_fill(&waits, false, age ? age : 1, events, &sample->counts);
    }
    counts_copy(&snapshot->idle, &ledger->idle, events);
    counts_copy(&snapshot->unattributed, &ledger->unattributed, events);
    snapshot->lost_records = ledger->lost;
    snapshot->throttled = ledger->throttled;
}
