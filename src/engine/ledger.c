#include "engine/ledger.h"

enum {
    /* With SWITCH records each switch writes two more records. They stay off while fewer than 1 in
     * SILENT_PRICE samples hides a slice that wrote no record, whose time is then credited to no
     * task. Each other sample adds 1 to the budget, up to BUDGET_PRICES prices; a hidden slice
     * takes one price from it. */
    SILENT_PRICE = 128,
    /* The price on a CPU whose idle task was not seen to write records: the hidden slice may be
     * idle's or a task's, and what both slices count is unattributed. A hidden slice of LAPSE ns or
     * more takes the whole budget and doubles the price. */
    UNKNOWN_PRICE = 4096,
    LAPSE = 1000000,
    LAPSES_MAX = 8,
    BUDGET_PRICES = 8,
};

static unsigned silent_price(const struct cpu *cpu)
{
    return cpu->idle_writes ? SILENT_PRICE : UNKNOWN_PRICE << cpu->lapses;
}

/* After a sample that hides no slice: the budget grows, and when it is full the records are off. */
static void earn_switch_budget(struct cpu *cpu)
{
    unsigned most = BUDGET_PRICES * silent_price(cpu);
    if (cpu->switch_budget < most)
        cpu->switch_budget++;
    cpu->records_off |= cpu->switch_budget >= most;
}

/* After a sample that hides a slice, `span` ns after the last known time of the CPU. When the
 * budget is used up, the records are on. */
static void spend_switch_budget(struct cpu *cpu, uint64_t span)
{
    bool lapse = !cpu->slice_known && span >= LAPSE && !cpu->idle_writes;
    if (lapse)
        cpu->lapses += cpu->lapses < LAPSES_MAX;
    unsigned price = silent_price(cpu);
    cpu->switch_budget -= lapse || cpu->switch_budget < price ? cpu->switch_budget : price;
    cpu->records_off &= cpu->switch_budget > 0;
}

/* --- Exiting tasks --- */

static void exiting_tasks_forget(struct exiting_tasks *exiting, const struct task *task)
{
    size_t kept = 0;
    for (size_t i = 0; i < exiting->count; i++)
        if (exiting->tasks[i] != task)
            exiting->tasks[kept++] = exiting->tasks[i];
    exiting->count = kept;
}

/* The slice in which the latest of them exited is over. */
static void exiting_tasks_finish(struct exiting_tasks *exiting)
{
    if (exiting->done && exiting->count)
        exiting->count--;
    exiting->done = false;
}

static void exiting_tasks_add(struct exiting_tasks *exiting, struct task *task)
{
    exiting_tasks_finish(exiting);
    if (exiting->count == EXITING_TASKS_MAX)
        exiting_tasks_forget(exiting, exiting->tasks[0]);
    exiting->tasks[exiting->count++] = task;
}

void ledger_forget(void *ctx, struct task *task)
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

/* --- Time on a CPU, and switch records --- */

/* Number of groups that write records: the first ones. */
static size_t sampled_groups(const struct ledger *ledger)
{
    return ledger->layout->events->groups - ledger->layout->shared;
}

static bool cpu_wants_switches(const struct ledger *ledger, const struct cpu *cpu)
{
    return ledger->waits.wanted || !cpu->records_off || cpu->interrupted ||
           ledger->layout->members_only || sampled_groups(ledger) > 1;
}

/* Notes that the task was seen on this CPU, up to the end of the credited time. Another CPU may
 * have reported a later time before: then that one stays its CPU. */
static void mark_running(struct ledger *ledger, const struct cpu *cpu, struct task *task)
{
    if (cpu->boundary >= task->seen) {
        task->cpu = cpu->number;
        task->seen = cpu->boundary;
    }
    task->member = true;
    task_table_touch(&ledger->task_table, task);
}

/* When groups of a cgroup take turns, its clock stands still until it is switched in again: the
 * times in samples lag behind by a slice (kernel/events/core.c, update_cgrp_time_from_cpuctx() ends
 * it when a context is scheduled out, perf_rotate_context() does not start it again; seen on 6.12).
 * But each group is enabled whenever a member has the CPU. */
static void credit_turns(const struct ledger *ledger, const struct cpu *cpu, struct task *task,
                         uint64_t span)
{
    for (size_t g = 0; g < sampled_groups(ledger); g++)
        if (cpu->groups[g].turns)
            task->counts.times[g].enabled += span;
}

/* The time since the last known one of the CPU, which is that moment from now on. */
static inline uint64_t pass_time(struct cpu *cpu, uint64_t until)
{
    uint64_t span = until > cpu->boundary ? until - cpu->boundary : 0;
    cpu->boundary += span;
    return span;
}

/* Credits the time that passed until then to a task that is known to have had the CPU. */
static inline void credit_span(struct ledger *ledger, struct cpu *cpu, struct task *task,
                               uint64_t until, uint64_t span)
{
    uint64_t after = until > ledger->cut ? until - ledger->cut : 0;
    uint64_t ahead = after < span ? after : span;
    mark_running(ledger, cpu, task);
    task->oncpu += span;
    task->ahead += ahead;
    cpu->busy += span;
    cpu->ahead += ahead;
}

/* Credits time up to then to the task that had the CPU; NULL: idle, or not known. */
static void credit_time(struct ledger *ledger, struct cpu *cpu, struct task *task, uint64_t until)
{
    bool known = !cpu->time_gap;
    uint64_t from = cpu->boundary, span = pass_time(cpu, until);
    cpu->time_gap = false;
    if (!task)
        return;
    if (ledger->waits.wanted)
        ledger_waits_run(&ledger->waits, task, cpu->number, from, until, known);
    if (!known)
        return mark_running(ledger, cpu, task);
    credit_span(ledger, cpu, task, until, span);
    if (ledger->layout->members_only)
        credit_turns(ledger, cpu, task, span);
}

/* Notes which thread has the CPU until the next record: 0 for the idle task, -1: not known. */
static void set_running(struct cpu *cpu, pid_t process, pid_t thread)
{
    cpu->running_known = thread >= 0;
    cpu->running = thread;
    cpu->process = process;
}

/* Whether the last record is a switch to the idle task. */
static bool cpu_idle_known(const struct cpu *cpu)
{
    return cpu->out_known && cpu->running_known && cpu->running == 0;
}

/* Credits a CPU's time up to that moment (ns): to the task that is known to have the CPU, else to
 * no task. What comes later about that time changes nothing. */
static void ledger_reach(struct ledger *ledger, struct cpu *cpu, uint64_t time)
{
    if (cpu->gone || cpu->boundary >= time)
        return;
    cpu->mute = !cpu_idle_known(cpu);
    if (cpu->running_known && cpu->running > 0) {
        struct task *task = task_table_task(&ledger->task_table, cpu->process, cpu->running, time);
        credit_time(ledger, cpu, task, time);
        return;
    }
    if (cpu_idle_known(cpu))
        cpu->silent_idle += time - cpu->boundary;
    else if (!cpu->idle_writes) /* the switch that ends this slice is to tell */
        cpu->switch_budget = 0;
    cpu->records_off &= cpu->switch_budget > 0;
    cpu->boundary = time;
}

/* A group that was off its counters at the end of a slice wrote no record there. Credits its
 * enabled time in that slice, which shows that its count of the task is only a part. */
static void lend(struct ledger *ledger, struct cpu *cpu, size_t group, struct counts *to,
                 uint64_t until)
{
    struct group_state *state = &cpu->groups[group];
    uint64_t from = state->time > cpu->slice_start ? state->time : cpu->slice_start;
    uint64_t span = until > from ? until - from : 0;
    uint64_t idle = cpu->silent_idle - state->silent_idle;
    to->times[group].enabled += span;
    ledger->idle.times[group].enabled += idle;
    state->lent += span + idle;
    state->time = from + span;
    state->silent_idle = cpu->silent_idle;
}

static void ledger_switch_in(struct ledger *ledger, struct cpu *cpu, const struct record *r)
{
    exiting_tasks_finish(&cpu->exiting);
    /* Tasks that write no records may have had the CPU since the last one. */
    bool apart = ledger->layout->members_only;
    bool direct = cpu->out_known && r->other.tid == cpu->out && !cpu->time_gap;
    bool silent = !apart && cpu->out_known && r->other.tid > 0 && r->other.tid != cpu->out;
    cpu->out_known = false;
    if (!cpu_wants_switches(ledger, cpu))
        return; /* requested before the idle task was seen: the next ones may be missing */
    /* Between two tasks the scheduler counts the switch itself for the second one (its clock is
     * read before perf is called, kernel/sched/core.c, __schedule()), and so does the ledger. */
    uint64_t span = r->time > cpu->boundary ? r->time - cpu->boundary : 0;
    if (silent) {
        /* Other tasks than idle can be silent too (seen on 6.18 in a VM: threads of init). Their
         * time is known, their counts are not. */
        struct task *task = NULL;
        if (cpu->running_known && cpu->running == r->other.tid && !cpu->time_gap)
            task = task_table_task(&ledger->task_table, r->other.pid, r->other.tid, r->time);
        credit_time(ledger, cpu, task, r->time);
        if (task && ledger->waits.wanted)
            ledger_waits_silent(&ledger->waits, task, cpu->number, r);
        for (size_t g = 0; g < sampled_groups(ledger); g++) {
            cpu->groups[g].gap = true;
            cpu->groups[g].lent += task ? span : 0;
            if (task)
                task->counts.times[g].enabled += span;
        }
    } else if (apart ? !direct : r->other.tid == 0 || cpu->time_gap) {
        if (!cpu->time_gap && !apart)
            cpu->silent_idle += span;
        cpu->boundary += span;
        cpu->time_gap = false;
    }
    cpu->slice++;
    cpu->slice_start = cpu->boundary;
    cpu->slice_known = true;
    set_running(cpu, r->pid, r->tid);
}

static void ledger_switch_out(struct ledger *ledger, struct cpu *cpu, const struct record *r)
{
    const struct exiting_tasks *exiting = &cpu->exiting;
    struct task *task =
        r->tid > 0 ? task_table_task(&ledger->task_table, r->pid, r->tid, r->time) : NULL;
    bool last = ledger->layout->unsampled || (ledger->layout->members_only && exiting->done);
    if (r->tid < 0 && last)
        /* Its pid is gone. If it wrote a sample before, that did not include its time. */
        task = exiting->count ? exiting->tasks[exiting->count - 1] : NULL;
    bool sampled = cpu->slice_known && !ledger->layout->unsampled;
    for (size_t g = 0; sampled && g < sampled_groups(ledger); g++) {
        const struct group_state *state = &cpu->groups[g];
        bool missed = state->slice != cpu->slice || !state->slice_ended;
        if (missed && !state->gap && !state->turns && (task || r->tid == 0))
            lend(ledger, cpu, g, task ? &task->counts : &ledger->idle, r->time);
    }
    credit_time(ledger, cpu, task, r->time);
    if (task && ledger->waits.wanted)
        ledger_waits_leave(&ledger->waits, task, cpu->number, r);
    if (task && task->ended && ledger->layout->unsampled && !r->preempted)
        exiting_tasks_forget(&cpu->exiting, task);
    cpu->slice_known = false;
    cpu->out_known = true;
    cpu->out = r->tid;
    /* With members_only, the next task may not be a member. */
    set_running(cpu, r->other.pid, ledger->layout->members_only ? -1 : r->other.tid);
}

/* It is not known which tasks ran on that CPU since its last record. */
static void ledger_lose(struct ledger *ledger, struct cpu *cpu)
{
    cpu->time_gap = true;
    cpu->running_known = false;
    cpu->slice_known = false;
    cpu->exiting.count = 0;
    ledger->waits.losses++;
    for (size_t g = 0; g < ledger->layout->events->groups; g++)
        cpu->groups[g].gap = true;
}

/* --- Samples --- */

static void add_times(struct counts *counts, size_t group, struct group_time span)
{
    counts->times[group].enabled += span.enabled;
    counts->times[group].running += span.running;
}

/* Adds to `to` what a CPU's counters have counted since they were opened, up to the last record of
 * each group. */
static void cpu_add_up(const struct ledger *ledger, const struct cpu *cpu, struct counts *to)
{
    for (size_t g = 0; g < ledger->layout->events->groups; g++) {
        const struct group_shape *group = &ledger->layout->groups[g];
        for (size_t v = 0; v < group->values; v++)
            if (group->event_of[v] >= 0)
                to->value[group->event_of[v]] += cpu->groups[g].value[v];
        add_times(to, g, cpu->groups[g].at);
    }
}

/* What the group has counted at a position since its last record here. */
static uint64_t counted_since(const struct group_state *state, const struct group_read *read,
                              size_t position)
{
    return read->value[position] - state->value[position];
}

/* The time since the group's last record here, which this record is from now on. Its counts are
 * credited next, by one of the functions below. */
static struct group_time take_time(const struct ledger *ledger, struct group_state *state,
                                   size_t group, const struct group_read *read)
{
    uint64_t running = ledger->layout->groups[group].steady ? read->enabled : read->running;
    struct group_time span = {read->enabled - state->at.enabled, running - state->at.running};
    state->at = (struct group_time){read->enabled, running};
    return span;
}

static void credit_whole(const struct group_shape *layout, struct group_state *state, size_t group,
                         struct counts *to, const struct group_read *read, struct group_time span)
{
    uint64_t *restrict last = state->value, *restrict sum = to->value;
    const int *event_of = layout->event_of;
    for (size_t v = 0, values = layout->values; v < values; v++) {
        uint64_t now = read->value[v], difference = now - last[v];
        last[v] = now;
        if (event_of[v] >= 0)
            sum[event_of[v]] += difference;
    }
    add_times(to, group, span);
}

/* Credits what a group counted while no task is known, without the time credited before. */
static void credit_nobody(struct ledger *ledger, struct group_state *state, size_t group,
                          const struct group_read *read, struct group_time span)
{
    span.enabled -= state->lent < span.enabled ? state->lent : span.enabled;
    credit_whole(&ledger->layout->groups[group], state, group, &ledger->unattributed, read, span);
}

/* An idle slice without a record. */
struct silence {
    uint64_t switches; /* from it, as the group has counted them */
    uint64_t time;     /* ns */
};

/* The idle task's part of a count that its successor's record also carries. */
static void credit_after_idle(struct ledger *ledger, struct group_state *state, size_t group,
                              struct counts *to, const struct group_read *read,
                              struct group_time span, const struct silence *silence)
{
    const struct group_shape *layout = &ledger->layout->groups[group];
    for (size_t v = 0; v < layout->values; v++) {
        int e = layout->event_of[v];
        uint64_t difference = counted_since(state, read, v);
        state->value[v] = read->value[v];
        if (e < 0)
            continue;
        enum idle_share share = ledger->layout->idle[e];
        if (share == IDLE_UNKNOWN) {
            ledger->unattributed.value[e] += difference;
            continue;
        }
        uint64_t most = share == IDLE_SWITCHES ? silence->switches
                        : share == IDLE_TIME   ? silence->time
                                               : 0;
        uint64_t idle = most < difference ? most : difference;
        ledger->idle.value[e] += idle;
        to->value[e] += difference - idle;
    }
    struct group_time idle_span = {silence->time < span.enabled ? silence->time : span.enabled,
                                   silence->time < span.running ? silence->time : span.running};
    add_times(&ledger->idle, group, idle_span);
    add_times(
        to, group,
        (struct group_time){span.enabled - idle_span.enabled, span.running - idle_span.running});
}

/* The task of a sample that names tid -1, since its pid is gone: the one with the last EXIT record
 * on that CPU; NULL: not known. */
static struct task *gone_task(struct exiting_tasks *exiting, size_t group, bool tick)
{
    if (exiting->done && exiting->group == group)
        exiting_tasks_finish(exiting); /* the group's second sample: another slice */
    if (!tick && !exiting->done) {
        exiting->done = true;
        exiting->group = group;
    }
    return exiting->count ? exiting->tasks[exiting->count - 1] : NULL;
}

/* The task that a sample names; NULL: the idle task, or not known. */
static inline struct task *sampled_task(struct ledger *ledger, struct cpu *cpu,
                                        const struct record *r, uint64_t time, size_t group)
{
    if (r->tid < 0)
        return gone_task(&cpu->exiting, group, r->tick);
    exiting_tasks_finish(&cpu->exiting);
    if (r->tid == 0) { /* the idle task writes records here, as on most kernels */
        if (!cpu->idle_writes) {
            cpu->idle_writes = true;
            cpu->switch_budget = BUDGET_PRICES * silent_price(cpu);
            cpu->records_off = true;
        }
        if (!cpu_wants_switches(ledger, cpu))
            cpu->slice_known = false;
        return NULL;
    }
    struct task *task = task_table_task(&ledger->task_table, r->pid, r->tid, time);
    if (task->ended && !r->tick)
        exiting_tasks_forget(&cpu->exiting, task);
    return task;
}

/* What is known about a sample. */
struct verdict {
    bool throughout; /* the group has counted all of the time */
    bool known;      /* only the task that it names has run since the last one, or idle too: */
    bool after_idle;
    struct silence silence;
};

/* A group that counted throughout has counted each switch: one, at the end of the slice. One more
 * means a silent slice in between, more than that an unknown task. The silent slice was an idle one
 * if the idle task writes no records here, and switch records name no other silent task (see
 * ledger_switch_in()). For a group that paused, only switch records show whether the task had
 * the CPU all the time. */
static struct verdict judge_sample(const struct ledger *ledger, const struct cpu *cpu, size_t group,
                                   const struct record *r, struct group_time span)
{
    const struct group_state *state = &cpu->groups[group];
    uint64_t expected = r->tick ? 0 : 1;
    uint64_t switches = counted_since(state, r->read, ledger->layout->groups[group].switches);
    uint64_t unseen = switches > expected ? switches - expected : 0;
    bool idle = unseen == 1 && !cpu->idle_writes && cpu->slice_known &&
                !ledger->layout->members_only; /* idle is not among the members */
    uint64_t idle_time = cpu->silent_idle - state->silent_idle;
    bool same = state->slice == cpu->slice && !state->slice_ended;
    bool next = state->slice + 1 == cpu->slice && state->slice_ended;
    bool one_slice = cpu->slice_known && (same || next);
    struct verdict verdict = {.throughout = !state->turns && span.running >= span.enabled,
                              .silence = {unseen, idle_time}};
    if (verdict.throughout) {
        verdict.known = unseen == 0 || idle;
        verdict.after_idle = idle;
    } else {
        verdict.known = one_slice;
        verdict.after_idle = one_slice && !cpu->idle_writes && idle_time > 0;
    }
    return verdict;
}

/* Credits what a group counted up to a sample that is not plain. Not inline: those that are would
 * pay for its registers. */
static __attribute__((noinline)) void credit_with_doubt(struct ledger *ledger, struct cpu *cpu,
                                                        size_t group, const struct record *r,
                                                        struct counts *to, struct group_time span,
                                                        uint64_t time)
{
    const struct group_shape *layout = &ledger->layout->groups[group];
    struct group_state *state = &cpu->groups[group];
    const struct group_read *read = r->read;
    state->turns |= ledger->layout->members_only && span.running < span.enabled;
    struct verdict verdict = judge_sample(ledger, cpu, group, r, span);
    if (state->turns) /* see credit_turns(); the ticker counts how long the group is enabled */
        span = (struct group_time){0, counted_since(state, read, layout->values - 1)};
    if (state->gap || !verdict.known) {
        if (!state->gap && !verdict.throughout && !state->turns && cpu->slice_known)
            lend(ledger, cpu, group, to, time);
        credit_nobody(ledger, state, group, read, span);
    } else if (verdict.after_idle) {
        credit_after_idle(ledger, state, group, to, read, span, &verdict.silence);
    } else {
        credit_whole(layout, state, group, to, read, span);
    }
    uint64_t unseen = verdict.silence.switches;
    cpu->interrupted |= !verdict.throughout;
    if (verdict.throughout && !state->gap && unseen > 0)
        spend_switch_budget(cpu, time > cpu->boundary ? time - cpu->boundary : 0);
    else
        earn_switch_budget(cpu);
    if (!cpu->slice_known && (unseen > 0 || !verdict.throughout))
        cpu->time_gap = true;
}

/* Whether it is of the task that it names as a whole: the group has counted throughout, and no
 * switch but the one at the end of the slice. Nearly all samples are. */
static bool is_plain(const struct group_state *state, const struct group_shape *layout,
                     const struct record *r, struct group_time span)
{
    return !state->gap && !state->turns && span.running >= span.enabled &&
           counted_since(state, r->read, layout->switches) <= !r->tick;
}

/* The group's sample at that time was taken. */
static void note_sample(const struct cpu *cpu, struct group_state *state, uint64_t time, bool tick)
{
    state->gap = false;
    state->time = time;
    state->lent = 0;
    state->slice = cpu->slice;
    state->slice_ended = !tick;
    state->silent_idle = cpu->silent_idle;
}

void ledger_take_sample(struct ledger *ledger, struct cpu *cpu, size_t group,
                        const struct record *r)
{
    const struct group_shape *layout = &ledger->layout->groups[group];
    struct group_state *state = &cpu->groups[group];
    if (r->read->count != layout->values) {
        state->gap = true; /* not in the format of this group: its values cannot be trusted */
        return;
    }
    if (r->read->enabled < state->at.enabled)
        return; /* older than the counts of ledger_settle */
    struct group_time span = take_time(ledger, state, group, r->read);

    /* The time of the sample. The time in the sample of a context switch is not used, since it may
     * be from another event with another clock (see cpu_events.h, struct open_group). If a group
     * pauses while others run, its enabled time is no clock; but then a switch record follows with
     * the time. */
    bool timed = r->tick || !ledger->layout->members_only;
    if (r->tick)
        state->zero = r->time - r->read->enabled;
    uint64_t time = timed ? state->zero + r->read->enabled : cpu->boundary;
    struct task *task = sampled_task(ledger, cpu, r, time, group);
    if (task && ledger->layout->cgroups && r->cgroup != task->cgroup) {
        task_table_move(&ledger->task_table, task, r->cgroup);
        cgroup_table_want(&ledger->cgroups, r->cgroup);
    }
    struct counts *to = task ? &task->counts : r->tid == 0 ? &ledger->idle : &ledger->unattributed;
    if (is_plain(state, layout, r, span)) {
        credit_whole(layout, state, group, to, r->read, span);
        earn_switch_budget(cpu);
    } else {
        credit_with_doubt(ledger, cpu, group, r, to, span, time);
    }
    if (timed)
        credit_time(ledger, cpu, task, time);
    else if (task)
        mark_running(ledger, cpu, task);
    /* From here on the end of this slice will be known. Skips a number, so that no group takes it
     * for the slice after its own. */
    if (!cpu->slice_known && time >= cpu->witness_from) {
        cpu->slice += 2;
        cpu->slice_start = time;
        cpu->slice_known = true;
    }
    set_running(cpu, r->pid, r->tick ? r->tid : -1);
    note_sample(cpu, state, time, r->tick);
}

/* --- Runs of plain samples --- */

/* A record with DECODE_SWITCH_FIELDS, and after the values the cgroup if samples name it. */
struct switch_sample {
    struct perf_event_header header;
    pid_t pid, tid;
    struct group_read read;
};

/* The first values whose event has the same index, and those up to the last one that has an event.
 */
struct credited {
    size_t straight, all;
};

static struct credited credited_of(const struct group_shape *layout)
{
    struct credited values = {0};
    for (size_t v = 0; v < layout->values; v++) {
        values.straight += values.straight == v && layout->event_of[v] == (int)v;
        values.all = layout->event_of[v] >= 0 ? v + 1 : values.all;
    }
    return values;
}

/* credit_whole() without the last counts, which are those of the record before. */
static inline void credit_run(const struct group_shape *layout, struct credited values,
                              const uint64_t *restrict before, const uint64_t *restrict now,
                              uint64_t *restrict sum)
{
    for (size_t v = 0; v < values.straight; v++)
        sum[v] += now[v] - before[v];
    for (size_t v = values.straight; v < values.all; v++)
        if (layout->event_of[v] >= 0)
            sum[layout->event_of[v]] += now[v] - before[v];
}

size_t ledger_take_plain(struct ledger *ledger, size_t index, size_t group, struct ring *ring,
                         uint64_t limit)
{
    struct cpu *cpu = &ledger->cpus[index];
    const struct group_shape *layout = &ledger->layout->groups[group];
    struct group_state *state = &cpu->groups[group];
    bool cgroups = ledger->layout->cgroups;
    size_t size = sizeof(struct switch_sample) + (layout->values + cgroups) * sizeof(uint64_t);
    size_t offset = ring->tail & (ring->size - 1), whole = ring->size - offset;
    const char *first = ring->data + offset;
    const char *end = first + (ring->head - ring->tail < whole ? ring->head - ring->tail : whole);
    const struct switch_sample *sample = (const void *)first;
    const uint64_t *before = state->value;
    struct group_time at = state->at;
    if (cpu_wants_switches(ledger, cpu) || cpu->witness_from < UINT64_MAX || cpu->time_gap ||
        cpu->exiting.done || state->gap || state->turns)
        return 0;
    struct credited values = credited_of(layout);
    for (; (size_t)(end - (const char *)sample) >= size;
         sample = (const void *)((const char *)sample + size)) {
        const struct group_read *read = &sample->read;
        struct group_time now = {read->enabled, layout->steady ? read->enabled : read->running};
        struct group_time span = {now.enabled - at.enabled, now.running - at.running};
        uint64_t time = state->zero + now.enabled;
        if (sample->header.type != PERF_RECORD_SAMPLE || sample->header.size != size ||
            time >= limit || read->count != layout->values || read->running > read->enabled ||
            now.enabled < at.enabled || span.running < span.enabled ||
            read->value[layout->switches] - before[layout->switches] > 1)
            break;
        struct task *task = NULL;
        if (sample->tid != 0) {
            task = map_get(&ledger->task_table.tasks, (uint64_t)sample->tid);
            if (!task || task->pid != sample->pid || task->ended)
                break; /* also for tid -1, which is no task's */
            if (cgroups && read->value[layout->values] != task->cgroup)
                break;
        } else if (cpu->idle_writes) {
            cpu->slice_known = false;
        } else {
            break;
        }
        struct counts *to = task ? &task->counts : &ledger->idle;
        credit_run(layout, values, before, read->value, to->value);
        add_times(to, group, span);
        uint64_t passed = pass_time(cpu, time);
        if (task)
            credit_span(ledger, cpu, task, time, passed);
        at = now;
        before = read->value;
    }
    size_t bytes = (size_t)((const char *)sample - first), taken = bytes / size;
    if (!taken)
        return 0;
    ring->tail += bytes;
    unsigned most = BUDGET_PRICES * silent_price(cpu), budget = cpu->switch_budget;
    if (budget < most)
        cpu->switch_budget = taken < most - budget ? budget + (unsigned)taken : most;
    cpu->mute = false;
    set_running(cpu, ((const struct switch_sample *)(first + bytes - size))->pid, -1);
    memcpy(state->value, before, layout->values * sizeof(*before));
    state->at = at;
    note_sample(cpu, state, state->zero + at.enabled, false);
    return taken;
}

/* --- All records --- */

void ledger_take_nonsample(struct ledger *ledger, size_t index, const struct record *record)
{
    struct cpu *cpu = &ledger->cpus[index];
    struct task *task;
    pid_t tid;
    int dest;
    bool migrates;
    switch (record->kind) {
    case RECORD_FORK:
        task_table_fork(&ledger->task_table, record);
        task = map_get(&ledger->task_table.tasks, (uint64_t)record->tid);
        if (task && ledger->waits.wanted)
            ledger_waits_wake(&ledger->waits, task, cpu->number, record);
        break;
    case RECORD_EXIT:
        if (record->time < ledger->waits.began &&
            !map_get(&ledger->task_table.tasks, (uint64_t)record->tid))
            break; /* it is not known, and counted nothing */
        task = task_table_task(&ledger->task_table, record->pid, record->tid, record->time);
        task_table_end(&ledger->task_table, task);
        ledger_forget(ledger, task);
        if (cpu->gone || (ledger->layout->members_only && !cpu->slice_known))
            break; /* not counted, so it has no samples */
        exiting_tasks_add(&cpu->exiting, task);
        task->exiting = index + 1;
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
        migrates = decode_migrate(&ledger->layout->migrations, record, &tid, &dest);
        task = map_get(&ledger->task_table.tasks, (uint64_t)(migrates ? tid : record->woken));
        if (!task || !ledger->waits.wanted)
            break;
        if (migrates)
            ledger_waits_migrate(&ledger->waits, task, dest, record->time);
        else
            ledger_waits_wake(&ledger->waits, task, cpu->number, record);
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
    default:
        break;
    }
}

void ledger_close_group(struct ledger *ledger, size_t cpu, size_t group,
                        const struct group_read *read)
{
    struct group_state *state = &ledger->cpus[cpu].groups[group];
    credit_nobody(ledger, state, group, read, take_time(ledger, state, group, read));
    state->lent = 0;
}

void ledger_settle(struct ledger *ledger, size_t index, size_t group, const struct group_read *read)
{
    struct cpu *cpu = &ledger->cpus[index];
    ledger_close_group(ledger, index, group, read);
    cpu->groups[group].time = cpu->groups[group].zero + read->enabled;
    ledger_lose(ledger, cpu);
}

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
    ledger->cut = ledger->waits.cut = time;
    return time;
}

bool ledger_awaits(const struct ledger *ledger, size_t index)
{
    const struct cpu *cpu = &ledger->cpus[index];
    return !cpu->gone && !cpu->mute && cpu->boundary < ledger->cut && !cpu_idle_known(cpu) &&
           (!ledger->layout->members_only || cpu->slice_known);
}

/* --- The whole ledger --- */

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
    ledger_waits_begin(&ledger->waits, layout->waits, layout->wakeups,
                       layout->migrations.tracepoint);
    ledger->waits.part = layout->members_only;
    ledger->task_table.members_only = layout->members_only;
    ledger->task_table.cgroups = layout->cgroups;
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
    ledger_waits_add_cpu(&ledger->waits, number);
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
    AUTO_COUNTS struct counts credited = counts_new(events), counted = counts_new(events);
    task_table_add_up(&ledger->task_table, &credited);
    counts_add(&credited, &ledger->idle, events);
    counts_add(&credited, &ledger->unattributed, events);
    for (size_t c = 0; c < ledger->cpu_count; c++) {
        counts_add(&counted, &ledger->cpus[c].carried, events);
        cpu_add_up(ledger, &ledger->cpus[c], &counted);
    }
    bool balanced = memcmp(credited.value, counted.value, events->count * sizeof(uint64_t)) == 0;
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
    uint64_t age = snapshot->time > snapshot->started ? snapshot->time - snapshot->started : 1;
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
        struct waits waits = ledger->waits.logs[cpu->number].sum;
        if ((size_t)cpu->number < ledger->task_table.late_room)
            waits_add(&waits, &ledger->task_table.late[cpu->number]);
        waits_fill(&waits, false, age, age, events, &sample->counts);
    }
    counts_copy(&snapshot->idle, &ledger->idle, events);
    counts_copy(&snapshot->unattributed, &ledger->unattributed, events);
    ledger_waits_resume(&ledger->waits, &ledger->task_table);
    snapshot->lost_records = ledger->lost;
    snapshot->throttled = ledger->throttled;
}
