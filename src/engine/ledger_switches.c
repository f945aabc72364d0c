#include "engine/ledger_switches.h"

enum {
    /* Switch records are two more for each switch. A CPU does without them while fewer than one in
     * SILENT_PRICE of its samples hides a silent slice, whose time then goes to nobody: each other
     * sample earns 1 up to CREDIT_MOST, a silent slice takes SILENT_PRICE. */
    SILENT_PRICE = 128,
    CREDIT_MOST = 1024,
};

size_t ledger_switches_groups(const struct ledger *ledger)
{
    return ledger->layout->events->groups - ledger->layout->shared;
}

bool ledger_switches_wants_switches(const struct ledger *ledger, const struct cpu *cpu)
{
    return !cpu->frugal || cpu->interrupted || ledger->layout->members_only ||
           ledger_switches_groups(ledger) > 1;
}

void ledger_switches_note_silence(struct cpu *cpu, bool silent)
{
    cpu->idle_silent |= silent;
    if (!silent)
        cpu->credit += cpu->credit < CREDIT_MOST;
    else
        cpu->credit -= cpu->credit < SILENT_PRICE ? cpu->credit : SILENT_PRICE;
    cpu->frugal = cpu->credit == CREDIT_MOST || (cpu->frugal && cpu->credit > 0);
}

void ledger_switches_note_idle(const struct ledger *ledger, struct cpu *cpu)
{
    if (!cpu->idle_silent) {
        cpu->credit = CREDIT_MOST;
        cpu->frugal = true;
    }
    if (!ledger_switches_wants_switches(ledger, cpu))
        cpu->slice_known = false;
}

void ledger_switches_see_running(struct ledger *ledger, const struct cpu *cpu, struct task *task)
{
    task->cpu = cpu->number;
    task->member = true;
    task_table_touch(&ledger->task_table, task);
}

/* When groups of a cgroup take turns, its clock stands still until it is switched in again: the
 * times in samples lag behind by a slice (kernel/events/core.c, update_cgrp_time_from_cpuctx() ends
 * it when a context is scheduled out, perf_rotate_context() does not begin it anew; seen on 6.12).
 * But each group is enabled whenever a member has the CPU. */
static void credit_enabled(const struct ledger *ledger, const struct cpu *cpu, struct task *task,
                           uint64_t span)
{
    for (size_t g = 0; g < ledger_switches_groups(ledger); g++)
        if (cpu->tallies[g].turns)
            task->counts.times[g].enabled += span;
}

void ledger_switches_credit_time(struct ledger *ledger, struct cpu *cpu, struct task *task,
                                 uint64_t until)
{
    uint64_t span = until > cpu->boundary ? until - cpu->boundary : 0;
    bool known = !cpu->time_gap;
    cpu->time_gap = false;
    cpu->boundary += span;
    if (!task)
        return;
    ledger_switches_see_running(ledger, cpu, task);
    if (known) {
        uint64_t after = until > ledger->cut ? until - ledger->cut : 0;
        uint64_t ahead = after < span ? after : span;
        task->oncpu += span;
        task->ahead += ahead;
        cpu->busy += span;
        cpu->ahead += ahead;
        credit_enabled(ledger, cpu, task, span);
    }
}

void ledger_switches_has_cpu(struct cpu *cpu, pid_t process, pid_t thread)
{
    cpu->running_known = thread >= 0;
    cpu->running = thread;
    cpu->process = process;
}

bool ledger_switches_idle_known(const struct cpu *cpu)
{
    return cpu->out_known && cpu->running_known && cpu->running == 0;
}

void ledger_switches_reach(struct ledger *ledger, struct cpu *cpu, uint64_t time)
{
    if (cpu->gone || cpu->boundary >= time)
        return;
    cpu->mute = !ledger_switches_idle_known(cpu);
    if (cpu->running_known && cpu->running > 0) {
        struct task *task = task_table_task(&ledger->task_table, cpu->process, cpu->running, time);
        ledger_switches_credit_time(ledger, cpu, task, time);
        return;
    }
    if (ledger_switches_idle_known(cpu))
        cpu->silent_idle += time - cpu->boundary;
    cpu->boundary = time;
}

/* No tally may take this slice for the one after its own. */
void ledger_switches_see_within(struct cpu *cpu, uint64_t time)
{
    if (cpu->slice_known || time < cpu->witness_from)
        return;
    cpu->slice += 2;
    cpu->slice_start = time;
    cpu->slice_known = true;
}

void ledger_switches_lend(struct ledger *ledger, struct cpu *cpu, size_t group, struct counts *to,
                          uint64_t until)
{
    struct cumulative *tally = &cpu->tallies[group];
    uint64_t from = tally->time > cpu->slice_start ? tally->time : cpu->slice_start;
    uint64_t span = until > from ? until - from : 0;
    uint64_t idle = cpu->silent_idle - tally->silent_idle;
    to->times[group].enabled += span;
    ledger->idle.times[group].enabled += idle;
    tally->lent += span + idle;
    tally->time = from + span;
    tally->silent_idle = cpu->silent_idle;
}

/* Not only idle tasks can be silent (seen on 6.18 in a VM: threads of init). Their time shows, what
 * they counted does not. */
static void take_silent_task(struct ledger *ledger, struct cpu *cpu, const struct record *r)
{
    struct task *task = NULL;
    uint64_t span = r->time > cpu->boundary ? r->time - cpu->boundary : 0;
    if (cpu->running_known && cpu->running == r->other.tid && !cpu->time_gap)
        task = task_table_task(&ledger->task_table, r->other.pid, r->other.tid, r->time);
    ledger_switches_credit_time(ledger, cpu, task, r->time);
    for (size_t g = 0; g < ledger_switches_groups(ledger); g++) {
        struct cumulative *tally = &cpu->tallies[g];
        tally->gap = true;
        if (task) {
            task->counts.times[g].enabled += span;
            tally->lent += span;
        }
    }
}

void ledger_switches_switch_in(struct ledger *ledger, struct cpu *cpu, const struct record *r)
{
    exiting_tasks_finish(&cpu->endings);
    /* Others may have had the CPU since the last record, and need not be told of. */
    bool apart = ledger->layout->members_only;
    bool direct = cpu->out_known && r->other.tid == cpu->out && !cpu->time_gap;
    bool silent = !apart && cpu->out_known && r->other.tid > 0 && r->other.tid != cpu->out;
    cpu->out_known = false;
    if (!ledger_switches_wants_switches(ledger, cpu))
        return; /* asked for before the idle task was seen: nothing must hang on the next ones */
    /* Between two tasks the scheduler counts the switch itself for the second one (its clock is
     * read before perf is told, kernel/sched/core.c, __schedule()), and so do we. */
    if (silent) {
        take_silent_task(ledger, cpu, r);
    } else if (apart ? !direct : r->other.tid == 0 || cpu->time_gap) {
        uint64_t span = r->time > cpu->boundary ? r->time - cpu->boundary : 0;
        if (!cpu->time_gap && !apart)
            cpu->silent_idle += span;
        cpu->boundary += span;
        cpu->time_gap = false;
    }
    cpu->slice++;
    cpu->slice_start = cpu->boundary;
    cpu->slice_known = true;
    ledger_switches_has_cpu(cpu, r->pid, r->tid);
}

void ledger_switches_switch_out(struct ledger *ledger, struct cpu *cpu, const struct record *r)
{
    struct task *task =
        r->tid > 0 ? task_table_task(&ledger->task_table, r->pid, r->tid, r->time) : NULL;
    if (r->tid < 0 && ledger->layout->members_only)
        task = exiting_tasks_last(&cpu->endings); /* its time was not in its sample */
    for (size_t g = 0; cpu->slice_known && g < ledger_switches_groups(ledger); g++) {
        const struct cumulative *tally = &cpu->tallies[g];
        bool missed = tally->slice != cpu->slice || !tally->slice_ended;
        if (missed && !tally->gap && !tally->turns && (task || r->tid == 0))
            ledger_switches_lend(ledger, cpu, g, task ? &task->counts : &ledger->idle, r->time);
    }
    ledger_switches_credit_time(ledger, cpu, task, r->time);
    cpu->slice_known = false;
    cpu->out_known = true;
    cpu->out = r->tid;
    /* With members_only, whoever comes next may be none of them. */
    ledger_switches_has_cpu(cpu, r->other.pid, ledger->layout->members_only ? -1 : r->other.tid);
}

void ledger_switches_lose(struct ledger *ledger, struct cpu *cpu)
{
    cpu->time_gap = true;
    cpu->running_known = false;
    cpu->slice_known = false;
    exiting_tasks_clear(&cpu->endings);
    for (size_t g = 0; g < ledger->layout->events->groups; g++)
        cpu->tallies[g].gap = true;
}
