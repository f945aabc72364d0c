#include "engine/ledger.h"
#include "base/debug.h"
#include "base/mem.h"
#include "engine/endings.h"

#include <stdlib.h>
#include <string.h>

/* What one group had counted on one CPU at its last record there. */
struct tally {
    uint64_t *value; /* by position, as records carry them */
    struct group_time at;
    uint64_t zero;        /* the time at which `enabled` was 0 */
    uint64_t time;        /* until when the time it was enabled has been credited */
    uint64_t lent;        /* ns of that since its last record */
    bool turns;           /* with members_only: it was seen not to count all of the time */
    uint64_t slice;       /* cpu.slice at that record */
    bool slice_ended;     /* that record was written at the end of its slice */
    uint64_t silent_idle; /* cpu.silent_idle at that record */
    bool gap;             /* records were lost since, or a task ran that writes none */
};

enum {
    /* Switch records are two more for each switch. A CPU does without them while fewer than one in
     * SILENT_PRICE of its samples hides a silent slice, whose time then goes to nobody: each other
     * sample earns 1 up to CREDIT_MOST, a silent slice takes SILENT_PRICE. */
    SILENT_PRICE = 128,
    CREDIT_MOST = 1024,
};

struct cpu {
    int number;
    bool gone;             /* offline */
    bool gone_told;        /* its last counts were in a snapshot */
    struct tally *tallies; /* one for each group */
    struct counts carried; /* what its counters had counted before they were opened anew */
    uint64_t busy;         /* ns */
    uint64_t boundary;     /* until when time on this CPU has been credited */
    bool time_gap;         /* who ran since then is not known */
    uint64_t slice;        /* how many tasks were seen to begin running */
    uint64_t slice_start;  /* when the last of them did */
    bool slice_known;      /* a switch since that slice began, or was first seen, would be known */
    uint64_t witness_from; /* switch records are written from that time on, UINT64_MAX: not */
    uint64_t silent_idle;  /* ns from the end of a slice to a switch record that names idle */
    unsigned credit;       /* see SILENT_PRICE */
    bool frugal;           /* does without switch records: from full credit on, until none is left */
    bool idle_silent;      /* an idle slice without a record was seen */
    bool interrupted;      /* a group was seen not to count all of the time */
    struct endings endings; /* its tasks have `ending` set */
    bool out_known;         /* the last switch record was one out: */
    pid_t out, next;        /* from whom to whom */
};

struct ledger {
    const struct ledger_layout *layout;
    struct roster roster;
    size_t cpu_count, cpu_room;
    struct cpu *cpus;
    struct counts idle, unattributed;
    uint64_t lost, throttled;
    bool lost_since;      /* records were lost since the last snapshot */
    uint64_t *difference; /* scratch, by position: what a record adds to the one before it */
};

struct ledger *ledger_new(const struct roster_lookup *lookup)
{
    struct ledger *ledger = mem_alloc(sizeof(*ledger));
    roster_init(&ledger->roster, lookup);
    return ledger;
}

static void cpu_init(struct cpu *cpu, int number, const struct ledger_layout *layout, uint64_t time)
{
    *cpu = (struct cpu){.number = number, .boundary = time, .witness_from = UINT64_MAX};
    cpu->carried = counts_new(layout->events);
    cpu->tallies = mem_array(layout->events->groups, sizeof(*cpu->tallies));
    for (size_t g = 0; g < layout->events->groups; g++)
        cpu->tallies[g] = (struct tally){
            .value = mem_array(layout->groups[g].values, sizeof(uint64_t)),
            .zero = time,
            .time = time,
        };
}

static void cpu_release(struct cpu *cpu, const struct ledger_layout *layout)
{
    for (size_t g = 0; g < layout->events->groups; g++)
        free(cpu->tallies[g].value);
    free(cpu->tallies);
    counts_release(&cpu->carried);
}

static void drop_counts(struct ledger *ledger)
{
    for (size_t c = 0; c < ledger->cpu_count; c++)
        cpu_release(&ledger->cpus[c], ledger->layout);
    free(ledger->cpus);
    ledger->cpus = NULL;
    ledger->cpu_count = ledger->cpu_room = 0;
    counts_release(&ledger->idle);
    counts_release(&ledger->unattributed);
    free(ledger->difference);
    ledger->difference = NULL;
}

void ledger_free(struct ledger *ledger)
{
    if (!ledger)
        return;
    drop_counts(ledger);
    roster_release(&ledger->roster);
    free(ledger);
}

void ledger_begin(struct ledger *ledger, const struct ledger_layout *layout)
{
    drop_counts(ledger);
    ledger->layout = layout;
    ledger->roster.members_only = layout->members_only;
    roster_count(&ledger->roster, layout->events);
    ledger->idle = counts_new(layout->events);
    ledger->unattributed = counts_new(layout->events);
    size_t most = 0;
    for (size_t g = 0; g < layout->events->groups; g++)
        most = layout->groups[g].values > most ? layout->groups[g].values : most;
    ledger->difference = mem_array(most, sizeof(*ledger->difference));
}

size_t ledger_add_cpu(struct ledger *ledger, int number, uint64_t time)
{
    mem_grow(&ledger->cpus, &ledger->cpu_room, ledger->cpu_count + 1, sizeof(*ledger->cpus));
    cpu_init(&ledger->cpus[ledger->cpu_count], number, ledger->layout, time);
    return ledger->cpu_count++;
}

void ledger_remove_cpu(struct ledger *ledger, size_t index)
{
    ledger->cpus[index].gone = true;
}

static void add_times(struct counts *counts, size_t group, struct group_time span)
{
    counts->times[group].enabled += span.enabled;
    counts->times[group].running += span.running;
}

/* What its counters have counted since they were opened, up to the last record of each group. */
static void add_tallies(const struct ledger *ledger, const struct cpu *cpu, struct counts *to)
{
    for (size_t g = 0; g < ledger->layout->events->groups; g++) {
        const struct ledger_group *group = &ledger->layout->groups[g];
        for (size_t v = 0; v < group->values; v++)
            if (group->event_of[v] >= 0)
                to->value[group->event_of[v]] += cpu->tallies[g].value[v];
        add_times(to, g, cpu->tallies[g].at);
    }
}

void ledger_restart_cpu(struct ledger *ledger, size_t index, uint64_t time)
{
    struct cpu *cpu = &ledger->cpus[index], old = *cpu;
    cpu_init(cpu, old.number, ledger->layout, time);
    counts_copy(&cpu->carried, &old.carried, ledger->layout->events);
    add_tallies(ledger, &old, &cpu->carried);
    cpu->busy = old.busy;
    cpu_release(&old, ledger->layout);
}

/* How many groups write records. */
static size_t recording(const struct ledger *ledger)
{
    return ledger->layout->events->groups - ledger->layout->shared;
}

static bool wants_switches(const struct ledger *ledger, const struct cpu *cpu)
{
    return !cpu->frugal || cpu->interrupted || ledger->layout->members_only ||
           recording(ledger) > 1;
}

bool ledger_wants_switches(const struct ledger *ledger, size_t cpu)
{
    return wants_switches(ledger, &ledger->cpus[cpu]);
}

void ledger_witness(struct ledger *ledger, size_t index, uint64_t from)
{
    struct cpu *cpu = &ledger->cpus[index];
    cpu->witness_from = from;
    cpu->slice_known = false;
    cpu->out_known = false;
}

/* Time on a CPU. */

static void see_running(struct ledger *ledger, const struct cpu *cpu, struct task *task)
{
    task->cpu = cpu->number;
    task->member = true;
    roster_touch(&ledger->roster, task);
}

/* When groups of a cgroup take turns, its clock stands still until it is switched in again: the
 * times in samples lag behind by a slice (kernel/events/core.c, update_cgrp_time_from_cpuctx() ends
 * it when a context is scheduled out, perf_rotate_context() does not begin it anew; seen on 6.12).
 * But each group is enabled whenever a member has the CPU. */
static void credit_enabled(const struct ledger *ledger, const struct cpu *cpu, struct task *task,
                           uint64_t span)
{
    for (size_t g = 0; g < recording(ledger); g++)
        if (cpu->tallies[g].turns)
            task->counts.times[g].enabled += span;
}

static void credit_time(struct ledger *ledger, struct cpu *cpu, struct task *task, uint64_t until)
{
    uint64_t span = until > cpu->boundary ? until - cpu->boundary : 0;
    bool known = !cpu->time_gap;
    cpu->time_gap = false;
    cpu->boundary += span;
    if (!task)
        return;
    see_running(ledger, cpu, task);
    if (known) {
        task->oncpu += span;
        cpu->busy += span;
        credit_enabled(ledger, cpu, task, span);
    }
}

/* A group that was off its counters as a slice ended wrote no record there. That it was enabled in
 * that slice is credited all the same: what it has counted of the task is then known to be a
 * part. */
static void lend(struct ledger *ledger, struct cpu *cpu, size_t group, struct counts *to,
                 uint64_t until)
{
    struct tally *tally = &cpu->tallies[group];
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
    if (cpu->next == r->other.tid && !cpu->time_gap)
        task = roster_task(&ledger->roster, r->other.pid, r->other.tid, r->time);
    credit_time(ledger, cpu, task, r->time);
    for (size_t g = 0; g < recording(ledger); g++) {
        struct tally *tally = &cpu->tallies[g];
        tally->gap = true;
        if (task) {
            task->counts.times[g].enabled += span;
            tally->lent += span;
        }
    }
}

static void take_switch_in(struct ledger *ledger, struct cpu *cpu, const struct record *r)
{
    endings_finish(&cpu->endings);
    /* Others may have had the CPU since the last record, and need not be told of. */
    bool apart = ledger->layout->members_only;
    bool direct = cpu->out_known && r->other.tid == cpu->out && !cpu->time_gap;
    bool silent = !apart && cpu->out_known && r->other.tid > 0 && r->other.tid != cpu->out;
    cpu->out_known = false;
    if (!wants_switches(ledger, cpu))
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
}

static void take_switch_out(struct ledger *ledger, struct cpu *cpu, const struct record *r)
{
    struct task *task = r->tid > 0 ? roster_task(&ledger->roster, r->pid, r->tid, r->time) : NULL;
    if (r->tid < 0 && ledger->layout->members_only)
        task = endings_last(&cpu->endings); /* its time was not in its sample */
    for (size_t g = 0; cpu->slice_known && g < recording(ledger); g++) {
        const struct tally *tally = &cpu->tallies[g];
        bool missed = tally->slice != cpu->slice || !tally->slice_ended;
        if (missed && !tally->gap && !tally->turns && (task || r->tid == 0))
            lend(ledger, cpu, g, task ? &task->counts : &ledger->idle, r->time);
    }
    credit_time(ledger, cpu, task, r->time);
    cpu->slice_known = false;
    cpu->out_known = true;
    cpu->out = r->tid;
    cpu->next = r->other.tid;
}

/* Tasks that end. */

static void forget_ending(struct ledger *ledger, struct task *task)
{
    if (task->ending && task->ending <= ledger->cpu_count) /* else of CPUs before ledger_begin */
        endings_forget(&ledger->cpus[task->ending - 1].endings, task);
    task->ending = 0;
}

static void take_exit(struct ledger *ledger, struct cpu *cpu, const struct record *r)
{
    struct task *task = roster_task(&ledger->roster, r->pid, r->tid, r->time);
    roster_end(&ledger->roster, task);
    forget_ending(ledger, task);
    if (ledger->layout->members_only && !cpu->slice_known)
        return; /* not counted, so no sample will be about it */
    endings_add(&cpu->endings, task);
    task->ending = (size_t)(cpu - ledger->cpus) + 1;
}

/* The task that a sample names; NULL where that is the idle task or not known. A task whose pid is
 * gone already writes tid -1 (kernel/events/core.c, perf_event_pid_type()): it is the one whose
 * EXIT record came last on that CPU. */
static struct task *sampled_task(struct ledger *ledger, struct cpu *cpu, const struct record *r,
                                 uint64_t time, size_t group, bool tick)
{
    if (r->tid < 0)
        return endings_sample(&cpu->endings, group, tick);
    endings_finish(&cpu->endings);
    if (r->tid == 0) {
        if (!cpu->idle_silent) {
            cpu->credit = CREDIT_MOST;
            cpu->frugal = true;
        }
        if (!wants_switches(ledger, cpu))
            cpu->slice_known = false;
        return NULL;
    }
    struct task *task = roster_task(&ledger->roster, r->pid, r->tid, time);
    if (task->ended && !tick)
        endings_forget(&cpu->endings, task);
    return task;
}

/* Counts. */

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
static struct group_time take_difference(struct ledger *ledger, struct tally *tally, size_t values,
                                         const struct group_read *read)
{
    for (size_t v = 0; v < values; v++) {
        ledger->difference[v] = read->value[v] - tally->value[v];
        tally->value[v] = read->value[v];
    }
    struct group_time span = {read->enabled - tally->at.enabled, read->running - tally->at.running};
    tally->at = (struct group_time){read->enabled, read->running};
    return span;
}

uint64_t ledger_time(const struct ledger *ledger, const struct ledger_origin *origin,
                     const struct record *record)
{
    return ledger->cpus[origin->cpu].tallies[origin->group].zero + record->read->enabled;
}

/* When a sample was written. Also where that of a context switch has a time, it may be another
 * event's, of another clock (see place.h, struct open_group). */
static uint64_t sample_time(struct tally *tally, const struct record *r, bool tick)
{
    if (tick)
        tally->zero = r->time - r->read->enabled;
    return tally->zero + r->read->enabled;
}

void ledger_close_group(struct ledger *ledger, size_t index, size_t group,
                        const struct group_read *read)
{
    struct cpu *cpu = &ledger->cpus[index];
    struct tally *tally = &cpu->tallies[group];
    size_t values = ledger->layout->groups[group].values;
    struct group_time span = take_difference(ledger, tally, values, read);
    span.enabled -= tally->lent < span.enabled ? tally->lent : span.enabled;
    credit_whole(ledger, &ledger->unattributed, group, span);
    tally->lent = 0;
}

static void note_silence(struct cpu *cpu, bool silent)
{
    cpu->idle_silent |= silent;
    if (!silent)
        cpu->credit += cpu->credit < CREDIT_MOST;
    else
        cpu->credit -= cpu->credit < SILENT_PRICE ? cpu->credit : SILENT_PRICE;
    cpu->frugal = cpu->credit == CREDIT_MOST || (cpu->frugal && cpu->credit > 0);
}

static void take_sample(struct ledger *ledger, struct cpu *cpu, size_t group, bool tick,
                        const struct record *r)
{
    const struct ledger_group *layout = &ledger->layout->groups[group];
    struct tally *tally = &cpu->tallies[group];
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

    /* A group that counted throughout has counted each switch: one, at the end of the slice. One
     * more means a silent idle slice in between, more than that a task that we did not see. For a
     * group that paused, only switch records can tell whether the task had the CPU all the time. */
    tally->turns |= apart && span.running < span.enabled;
    bool throughout = !tally->turns && span.running >= span.enabled;
    uint64_t expected = tick ? 0 : 1;
    uint64_t switches = ledger->difference[layout->switches];
    uint64_t unseen = switches > expected ? switches - expected : 0;
    bool same = tally->slice == cpu->slice && !tally->slice_ended;
    bool next = tally->slice + 1 == cpu->slice && tally->slice_ended;
    bool one_slice = cpu->slice_known && (same || next);
    uint64_t idle_time = cpu->silent_idle - tally->silent_idle;
    uint64_t silent_most = apart ? 0 : 1; /* idle is not among the members */
    bool after_idle = throughout ? unseen > 0 && unseen == silent_most
                                 : one_slice && cpu->idle_silent && idle_time > 0;
    bool known = throughout ? unseen <= silent_most : one_slice;

    if (tally->turns) /* see credit_enabled; the ticker counts for how long the group does */
        span = (struct group_time){0, ledger->difference[layout->values - 1]};
    if (tally->gap || !known) {
        if (!tally->gap && !throughout && !tally->turns && cpu->slice_known)
            lend(ledger, cpu, group, to, time);
        span.enabled -= tally->lent < span.enabled ? tally->lent : span.enabled;
        credit_whole(ledger, &ledger->unattributed, group, span);
    } else if (after_idle) {
        struct silence silence = {unseen, idle_time, cpu->slice_known};
        credit_after_idle(ledger, to, group, span, &silence);
    } else {
        credit_whole(ledger, to, group, span);
    }

    cpu->interrupted |= !throughout;
    note_silence(cpu, throughout && !tally->gap && unseen == 1);
    if (!cpu->slice_known && (unseen > 0 || !throughout))
        cpu->time_gap = true;
    if (timed)
        credit_time(ledger, cpu, task, time);
    else if (task)
        see_running(ledger, cpu, task);
    tally->gap = false;
    if (!cpu->slice_known && time >= cpu->witness_from) {
        /* Seen running; from here on the end of its slice will be. No tally may take this slice
         * for the one after its own. */
        cpu->slice += 2;
        cpu->slice_start = time;
        cpu->slice_known = true;
    }
    tally->time = time;
    tally->lent = 0;
    tally->slice = cpu->slice;
    tally->slice_ended = !tick;
    tally->silent_idle = cpu->silent_idle;
}

/* Who ran on that CPU since its last record is not known. */
static void lose_track(struct ledger *ledger, struct cpu *cpu)
{
    cpu->time_gap = true;
    cpu->slice_known = false;
    endings_clear(&cpu->endings);
    for (size_t g = 0; g < ledger->layout->events->groups; g++)
        cpu->tallies[g].gap = true;
}

static void take_loss(struct ledger *ledger, struct cpu *cpu, const struct record *r)
{
    ledger->lost += r->lost;
    ledger->lost_since = true;
    lose_track(ledger, cpu);
}

void ledger_settle(struct ledger *ledger, size_t index, size_t group, const struct group_read *read)
{
    struct tally *tally = &ledger->cpus[index].tallies[group];
    ledger_close_group(ledger, index, group, read);
    tally->time = tally->zero + read->enabled;
    lose_track(ledger, &ledger->cpus[index]);
}

void ledger_take(struct ledger *ledger, const struct ledger_origin *origin,
                 const struct record *record)
{
    struct cpu *cpu = &ledger->cpus[origin->cpu];
    switch (record->kind) {
    case RECORD_SAMPLE:
        take_sample(ledger, cpu, origin->group, origin->tick, record);
        break;
    case RECORD_FORK:
        roster_fork(&ledger->roster, record);
        break;
    case RECORD_EXIT:
        take_exit(ledger, cpu, record);
        break;
    case RECORD_COMM:
        roster_comm(&ledger->roster, record);
        break;
    case RECORD_SWITCH_IN:
        take_switch_in(ledger, cpu, record);
        break;
    case RECORD_SWITCH_OUT:
        take_switch_out(ledger, cpu, record);
        break;
    case RECORD_LOST:
        take_loss(ledger, cpu, record);
        break;
    case RECORD_THROTTLE:
        ledger->throttled++;
        break;
    case RECORD_OTHER:
        break;
    }
}

void ledger_adopt(struct ledger *ledger, pid_t pid, pid_t tid, uint64_t time)
{
    struct task *task = roster_adopt(&ledger->roster, pid, tid, time);
    if (task)
        task->member = true;
}

void ledger_meet(struct ledger *ledger, pid_t pid, uint64_t time)
{
    struct task *task = roster_adopt(&ledger->roster, pid, pid, time);
    if (task)
        roster_meet(&ledger->roster, task);
}

static void forget_task(void *ctx, struct task *task)
{
    forget_ending(ctx, task);
}

bool ledger_balanced(const struct ledger *ledger)
{
    const struct event_set *events = ledger->layout->events;
    struct counts credited = counts_new(events), counted = counts_new(events);
    roster_add_up(&ledger->roster, &credited);
    counts_add(&credited, &ledger->idle, events);
    counts_add(&credited, &ledger->unattributed, events);
    for (size_t c = 0; c < ledger->cpu_count; c++) {
        const struct cpu *cpu = &ledger->cpus[c];
        counts_add(&counted, &cpu->carried, events);
        add_tallies(ledger, cpu, &counted);
    }
    bool balanced = true;
    for (size_t e = 0; e < events->count; e++)
        balanced &= credited.value[e] == counted.value[e];
    counts_release(&credited);
    counts_release(&counted);
    return balanced;
}

void ledger_snapshot(struct ledger *ledger, struct snapshot *snapshot, bool all)
{
    const struct event_set *events = ledger->layout->events;
    if (DEBUG_CHECKS && !ledger_balanced(ledger))
        abort();
    if (ledger->lost_since)
        roster_sweep(&ledger->roster);
    ledger->lost_since = false;
    roster_list(&ledger->roster, snapshot, all, forget_task, ledger);
    snapshot->has_cpus = true;
    for (size_t c = 0; c < ledger->cpu_count; c++) {
        struct cpu *cpu = &ledger->cpus[c];
        if (cpu->gone && cpu->gone_told)
            continue;
        cpu->gone_told = cpu->gone;
        struct cpu_sample *sample = snapshot_add_cpu(snapshot);
        sample->cpu = cpu->number;
        sample->busy = cpu->busy;
        counts_copy(&sample->counts, &cpu->carried, events);
        add_tallies(ledger, cpu, &sample->counts);
    }
    counts_copy(&snapshot->idle, &ledger->idle, events);
    counts_copy(&snapshot->unattributed, &ledger->unattributed, events);
    snapshot->lost_records = ledger->lost;
    snapshot->throttled = ledger->throttled;
}

struct roster *ledger_roster(struct ledger *ledger)
{
    return &ledger->roster;
}

bool ledger_awaits_command(const struct ledger *ledger)
{
    for (size_t c = 0; c < ledger->cpu_count; c++)
        if (endings_has_command(&ledger->cpus[c].endings))
            return true;
    return false;
}
