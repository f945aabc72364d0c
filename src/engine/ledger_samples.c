#include "engine/ledger_samples.h"
#include "engine/ledger_switches.h"

static void add_times(struct counts *counts, size_t group, struct group_time span)
{
    counts->times[group].enabled += span.enabled;
    counts->times[group].running += span.running;
}

void ledger_samples_sum(const struct ledger *ledger, const struct cpu *cpu, struct counts *to)
{
    for (size_t g = 0; g < ledger->layout->events->groups; g++) {
        const struct ledger_group *group = &ledger->layout->groups[g];
        for (size_t v = 0; v < group->values; v++)
            if (group->event_of[v] >= 0)
                to->value[group->event_of[v]] += cpu->tallies[g].value[v];
        add_times(to, g, cpu->tallies[g].at);
    }
}

static void credit_whole(struct ledger *ledger, struct counts *to, size_t group,
                         struct group_time span)
{
    const struct ledger_group *layout = &ledger->layout->groups[group];
    for (size_t v = 0; v < layout->values; v++)
        if (layout->event_of[v] >= 0)
            to->value[layout->event_of[v]] += ledger->difference[v];
    add_times(to, group, span);
}

/* An idle slice without a record. */
struct silence {
    uint64_t switches; /* from it, as the group has counted them */
    uint64_t time;     /* ns */
    bool time_known;
};

/* Idle's part of a count that its successor's record carries as well: UINT64_MAX where it cannot
 * be told. */
static uint64_t idle_part(enum idle_share share, uint64_t difference, const struct silence *silence)
{
    switch (share) {
    case IDLE_NONE:
        return 0;
    case IDLE_SWITCHES:
        return silence->switches < difference ? silence->switches : difference;
    case IDLE_TIME:
        if (!silence->time_known)
            break;
        return silence->time < difference ? silence->time : difference;
    case IDLE_UNKNOWN:
        if (difference == 0)
            return 0;
        break;
    }
    return UINT64_MAX;
}

static void credit_after_idle(struct ledger *ledger, struct counts *to, size_t group,
                              struct group_time span, const struct silence *silence)
{
    const struct ledger_group *layout = &ledger->layout->groups[group];
    for (size_t v = 0; v < layout->values; v++) {
        int e = layout->event_of[v];
        if (e < 0)
            continue;
        uint64_t difference = ledger->difference[v];
        uint64_t idle = idle_part(ledger->layout->idle[e], difference, silence);
        if (idle == UINT64_MAX) {
            ledger->unattributed.value[e] += difference;
        } else {
            ledger->idle.value[e] += idle;
            to->value[e] += difference - idle;
        }
    }
    struct group_time idle_span = {silence->time < span.enabled ? silence->time : span.enabled,
                                   silence->time < span.running ? silence->time : span.running};
    add_times(&ledger->idle, group, idle_span);
    add_times(
        to, group,
        (struct group_time){span.enabled - idle_span.enabled, span.running - idle_span.running});
}

/* What the group has counted since its last record here; its tally is brought up to date. */
static struct group_time take_difference(struct ledger *ledger, struct cumulative *tally,
                                         size_t values, const struct group_read *read)
{
    for (size_t v = 0; v < values; v++) {
        ledger->difference[v] = read->value[v] - tally->value[v];
        tally->value[v] = read->value[v];
    }
    struct group_time span = {read->enabled - tally->at.enabled, read->running - tally->at.running};
    tally->at = (struct group_time){read->enabled, read->running};
    return span;
}

/* When a sample was written. Also where that of a context switch has a time, it may be another
 * event's, of another clock (see cpu_events.h, struct open_group). */
static uint64_t sample_time(struct cumulative *tally, const struct record *r, bool tick)
{
    if (tick)
        tally->zero = r->time - r->read->enabled;
    return tally->zero + r->read->enabled;
}

void ledger_samples_nobody(struct ledger *ledger, struct cpu *cpu, size_t group,
                           const struct group_read *read)
{
    struct cumulative *tally = &cpu->tallies[group];
    size_t values = ledger->layout->groups[group].values;
    struct group_time span = take_difference(ledger, tally, values, read);
    span.enabled -= tally->lent < span.enabled ? tally->lent : span.enabled;
    credit_whole(ledger, &ledger->unattributed, group, span);
    tally->lent = 0;
}

/* The task that a sample names; NULL where that is the idle task or not known. A task whose pid is
 * gone already writes tid -1 (kernel/events/core.c, perf_event_pid_type()): it is the one whose
 * EXIT record came last on that CPU. */
static struct task *sampled_task(struct ledger *ledger, struct cpu *cpu, const struct record *r,
                                 uint64_t time, size_t group, bool tick)
{
    if (r->tid < 0)
        return exiting_tasks_sample(&cpu->endings, group, tick);
    exiting_tasks_finish(&cpu->endings);
    if (r->tid == 0) {
        ledger_switches_note_idle(ledger, cpu);
        return NULL;
    }
    struct task *task = task_table_task(&ledger->task_table, r->pid, r->tid, time);
    if (task->ended && !tick)
        exiting_tasks_forget(&cpu->endings, task);
    return task;
}

/* What a sample is known to be about. */
struct verdict {
    bool throughout; /* the group has counted all of the time */
    bool known;      /* the task that it names alone has run since the last one, or idle too: */
    bool after_idle;
    struct silence silence;
};

/* A group that counted throughout has counted each switch: one, at the end of the slice. One more
 * means a silent idle slice in between, more than that a task that we did not see. For a group that
 * paused, only switch records can tell whether the task had the CPU all the time. */
static struct verdict ledger_samples_judge(const struct ledger *ledger, const struct cpu *cpu,
                                           size_t group, bool tick, struct group_time span)
{
    const struct cumulative *tally = &cpu->tallies[group];
    uint64_t expected = tick ? 0 : 1;
    uint64_t switches = ledger->difference[ledger->layout->groups[group].switches];
    uint64_t unseen = switches > expected ? switches - expected : 0;
    uint64_t silent_most = ledger->layout->members_only ? 0 : 1; /* idle is not among the members */
    uint64_t idle_time = cpu->silent_idle - tally->silent_idle;
    bool same = tally->slice == cpu->slice && !tally->slice_ended;
    bool next = tally->slice + 1 == cpu->slice && tally->slice_ended;
    bool one_slice = cpu->slice_known && (same || next);
    struct verdict verdict = {.throughout = !tally->turns && span.running >= span.enabled,
                              .silence = {unseen, idle_time, cpu->slice_known}};
    if (verdict.throughout) {
        verdict.known = unseen <= silent_most;
        verdict.after_idle = unseen > 0 && unseen == silent_most;
    } else {
        verdict.known = one_slice;
        verdict.after_idle = one_slice && cpu->idle_silent && idle_time > 0;
    }
    return verdict;
}

static void book(struct ledger *ledger, struct cpu *cpu, size_t group, struct counts *to,
                 struct group_time span, const struct verdict *verdict, uint64_t time)
{
    struct cumulative *tally = &cpu->tallies[group];
    if (tally->gap || !verdict->known) {
        if (!tally->gap && !verdict->throughout && !tally->turns && cpu->slice_known)
            ledger_switches_lend(ledger, cpu, group, to, time);
        span.enabled -= tally->lent < span.enabled ? tally->lent : span.enabled;
        credit_whole(ledger, &ledger->unattributed, group, span);
    } else if (verdict->after_idle) {
        credit_after_idle(ledger, to, group, span, &verdict->silence);
    } else {
        credit_whole(ledger, to, group, span);
    }
}

void ledger_samples_sample(struct ledger *ledger, struct cpu *cpu, size_t group, bool tick,
                           const struct record *r)
{
    const struct ledger_group *layout = &ledger->layout->groups[group];
    struct cumulative *tally = &cpu->tallies[group];
    if (r->read->count != layout->values) {
        tally->gap = true; /* not as this group was opened: none of it can be trusted */
        return;
    }
    if (r->read->enabled < tally->at.enabled)
        return; /* written before ledger_settle read on */
    struct group_time span = take_difference(ledger, tally, layout->values, r->read);

    /* Where a group pauses while others run, how long it was enabled is no clock; but then a switch
     * record follows with the time. */
    bool apart = ledger->layout->members_only, timed = tick || !apart;
    uint64_t time = timed ? sample_time(tally, r, tick) : cpu->boundary;
    struct task *task = sampled_task(ledger, cpu, r, time, group, tick);
    struct counts *to = task ? &task->counts : r->tid == 0 ? &ledger->idle : &ledger->unattributed;

    tally->turns |= apart && span.running < span.enabled;
    struct verdict verdict = ledger_samples_judge(ledger, cpu, group, tick, span);
    if (tally->turns) /* see ledger_switches.c; the ticker counts for how long the group does */
        span = (struct group_time){0, ledger->difference[layout->values - 1]};
    book(ledger, cpu, group, to, span, &verdict, time);

    uint64_t unseen = verdict.silence.switches;
    cpu->interrupted |= !verdict.throughout;
    ledger_switches_note_silence(cpu, verdict.throughout && !tally->gap && unseen == 1);
    if (!cpu->slice_known && (unseen > 0 || !verdict.throughout))
        cpu->time_gap = true;
    if (timed)
        ledger_switches_credit_time(ledger, cpu, task, time);
    else if (task)
        ledger_switches_see_running(ledger, cpu, task);
    ledger_switches_see_within(cpu, time);
    ledger_switches_has_cpu(cpu, r->pid, tick ? r->tid : -1);
    tally->gap = false;
    tally->time = time;
    tally->lent = 0;
    tally->slice = cpu->slice;
    tally->slice_ended = !tick;
    tally->silent_idle = cpu->silent_idle;
}
