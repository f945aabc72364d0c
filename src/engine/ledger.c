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

/* --- Ended tasks --- */

static void forget_exit(void *ctx, struct task *task)
{
    struct ledger *ledger = ctx;
    if (task->exiting && task->exiting <= ledger->cpu_count) /* else of CPUs before ledger_begin */
        exiting_tasks_forget(&ledger->cpus[task->exiting - 1].exiting, task);
    task->exiting = 0;
}

bool ledger_awaits_command(const struct ledger *ledger)
{
    for (size_t c = 0; c < ledger->cpu_count; c++) {
        const struct exiting_tasks *exiting = &ledger->cpus[c].exiting;
        for (size_t i = 0; i + exiting->done < exiting->count; i++)
            if (exiting->tasks[i]->process->info.command)
                return true;
    }
    return false;
}

/* --- Records --- */

void ledger_take_nonsample(struct ledger *ledger, const struct ledger_origin *origin,
                           const struct record *record)
{
    struct cpu *cpu = &ledger->cpus[origin->cpu];
    struct task *task;
    switch (record->kind) {
    case RECORD_FORK:
        task_table_fork(&ledger->task_table, record);
        task = map_get(&ledger->task_table.tasks, (uint64_t)record->tid);
        if (ledger->waits.wanted)
            ledger_waits_wake(&ledger->waits, task, record);
        break;
    case RECORD_EXIT:
        task = task_table_task(&ledger->task_table, record->pid, record->tid, record->time);
        task_table_end(&ledger->task_table, task);
        forget_exit(ledger, task);
        if (cpu->gone || (ledger->layout->members_only && !cpu->slice_known))
            break; /* not counted, so it has no samples */
        exiting_tasks_add(&cpu->exiting, task);
        task->exiting = origin->cpu + 1;
        break;
    case RECORD_COMM:
        task_table_comm(&ledger->task_table, record);
        break;
    case RECORD_SWITCH_IN:
        ledger_switch_in(ledger, cpu, record);
        break;
    case RECORD_SWITCH_OUT:
        ledger_switch_out(ledger, cpu, record);
        break;
    case RECORD_WAKE:
        task = map_get(&ledger->task_table.tasks, (uint64_t)record->woken);
        if (ledger->waits.wanted)
            ledger_waits_wake(&ledger->waits, task, record);
        break;
    case RECORD_LOST:
        ledger->lost += record->lost;
        ledger->lost_since = true;
        ledger_lose(ledger, cpu);
        break;
    case RECORD_THROTTLE:
        ledger->throttled++;
        break;
    case RECORD_CGROUP:
        if (ledger->layout->cgroups)
            cgroup_table_add(&ledger->cgroups, record->cgroup, record->path, ledger->paths_known);
        break;
    case RECORD_SAMPLE:
    case RECORD_GROUP:
    case RECORD_READ:
    case RECORD_MAP:
    case RECORD_KERNEL:
    case RECORD_OTHER:
        break;
    }
}

void ledger_close_group(struct ledger *ledger, size_t cpu, size_t group,
                        const struct group_read *read)
{
    ledger_credit_nobody(ledger, &ledger->cpus[cpu], group, read);
}

void ledger_settle(struct ledger *ledger, size_t index, size_t group, const struct group_read *read)
{
    struct cpu *cpu = &ledger->cpus[index];
    ledger_credit_nobody(ledger, cpu, group, read);
    cpu->groups[group].time = cpu->groups[group].zero + read->enabled;
    ledger_lose(ledger, cpu);
}

/* --- Switch records, cuts --- */

bool ledger_wants_switches(const struct ledger *ledger, size_t cpu)
{
    return cpu_wants_switches(ledger, &ledger->cpus[cpu]);
}

void ledger_witness(struct ledger *ledger, size_t index, uint64_t from)
{
    struct cpu *cpu = &ledger->cpus[index];
    cpu->witness_from = from;
    cpu->slice_known = cpu->out_known = cpu->running_known = false;
}

uint64_t ledger_cut(struct ledger *ledger, uint64_t time)
{
    for (size_t c = 0; c < ledger->cpu_count; c++)
        if (!ledger->cpus[c].gone && ledger->cpus[c].boundary > time)
            time = ledger->cpus[c].boundary;
    ledger->cut = time;
    return time;
}

bool ledger_awaits(const struct ledger *ledger, size_t index)
{
    const struct cpu *cpu = &ledger->cpus[index];
    return !cpu->gone && !cpu->mute && cpu->boundary < ledger->cut && !cpu_idle_known(cpu) &&
           (!ledger->layout->members_only || cpu->slice_known);
}

bool ledger_reached(const struct ledger *ledger, size_t index)
{
    return ledger->cpus[index].boundary >= ledger->cut;
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

void ledger_meet(struct ledger *ledger, pid_t pid, uint64_t time)
{
    task_table_meet_process(&ledger->task_table, pid, time);
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
    if (ledger->layout->cgroups)
        snapshot->cgroups = cgroup_table_names(&ledger->cgroups);
    task_table_list(&ledger->task_table, snapshot, all, forget_exit, ledger);
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
        if (ledger->waits.wanted)
            waits_fill(&ledger_waits_cpu(&ledger->waits, cpu->number)->sum, false, age ? age : 1,
                       events, &sample->counts);
    }
    counts_copy(&snapshot->idle, &ledger->idle, events);
    counts_copy(&snapshot->unattributed, &ledger->unattributed, events);
    snapshot->lost_records = ledger->lost;
    snapshot->throttled = ledger->throttled;
}
