#include "view/detail.h"
#include "base/map.h"
#include "base/str.h"
#include "metric/alias.h"
#include "metric/metric_set.h"
#include "view/builtin_column.h"
#include "view/column.h"
#include "view/state.h"

#include <math.h>
#include <stdio.h>

enum { VERDICT_WIDTH = 7 }; /* of a number */

static const double NOTABLE = 0.2; /* of an event: whoever causes less of it is not named */

/* A metric, by its name on all processors, and its limit; NAN: its own limit of bad. */
struct verdict_rule {
    const char *metric;
    double limit;
    bool memory;      /* it is about memory: where the data comes from is of interest */
    const char *says; /* behind the number */
};

/* Why it does not run. */
static const struct verdict_rule verdict_waits[] = {
    {"throttled_pct", NAN, false, "of the time its cgroup's limit (cpu.max) stops it"},
    {"wait_pct", NAN, false, "of its life it could run but has no CPU"},
    {"psi_memory_pct", NAN, false, "of the time a task of it waits for lack of memory"},
    {"psi_io_pct", NAN, false, "of the time a task of it waits for disks"},
    {0}};

/* What its slots are: the largest part beyond its limit is named. From these limits on perf marks
 * tma_memory_bound, tma_frontend_bound, tma_bad_speculation, tma_backend_bound and tma_retiring
 * (MetricThreshold in tools/perf/pmu-events, after Yasin, A Top-Down Method for Performance
 * Analysis, 2014); tma_core_bound from 10 % on, if tma_backend_bound is beyond 20 %. */
static const struct verdict_rule verdict_slots[] = {
    {"td_memory_pct", 20, true, "of its slots wait for memory"},
    {"td_core_pct", 20, false, "of its slots wait for units that compute, or for each other"},
    {"td_frontend_pct", 15, false, "of its slots lack instructions: much code, or many jumps"},
    {"td_bad_spec_pct", 15, false, "of its slots are lost to wrong guesses, mostly of branches"},
    {"td_backend_pct", 20, true, "of its slots wait for data or for units that compute"},
    {"td_retiring_pct", 70, false,
     "of its slots do work: it gets faster by less work or by vectors"},
    {0}};

/* Where no slots are counted: the first beyond its limit, that of its colour. */
static const struct verdict_rule verdict_cycles[] = {
    {"memory_stall_pct", NAN, true, "of its cycles nothing runs while a load waits for memory"},
    {"backend_stall_pct", NAN, true, "of its cycles no instruction can be executed"},
    {"frontend_stall_pct", NAN, false,
     "of its cycles no instruction arrives: much code, or many jumps"},
    {"dtlb_mpki", NAN, false, "TLB misses per thousand instructions: larger pages may help"},
    {"branch_mpki", NAN, false, "mispredicted branches per thousand instructions"},
    {"cache_mpki", NAN, true, "cache misses per thousand instructions"},
    {"ipc", NAN, true, "instructions per cycle: it waits, for memory or for its own results"},
    {0}};

/* Where the data comes from. */
static const struct verdict_rule verdict_memory[] = {
    {"fills_memory_pct", NAN, false, "of the lines it fetches come from memory"},
    {"fills_far_memory_pct", NAN, false,
     "of the lines it fetches come from another socket's memory"},
    {"memory_remote_pct", NAN, false, "of what it reads from memory is another socket's"},
    {"fills_far_pct", NAN, false,
     "of the lines it fetches come from far caches: shared, and written"},
    {0}};

/* A verdict while it is made. */
struct judgement {
    struct str text;
    const struct view_context *context;
    const struct metric_set *metric_set; /* may be NULL */
    const struct row *row;
};

/* Adds the first rule of a table beyond its limit, or with `most` the largest. NULL: no rule is. */
static const struct verdict_rule *verdict_judge(struct judgement *verdict,
                                                const struct verdict_rule *rules, bool most)
{
    const struct frame *frame = verdict->context->frame;
    const struct verdict_rule *found = NULL;
    const struct metric *best_metric = NULL;
    struct value best = {0};
    char number[FORMAT_SIZE];
    for (; verdict->metric_set && rules->metric && (most || !found); rules++) {
        const struct metric *metric = metric_set_find(verdict->metric_set, rules->metric);
        if (!metric || !metric_applies(metric, frame->events))
            continue;
        struct value value = eval_row(metric->expr, frame, verdict->row);
        bool beyond = isnan(rules->limit) ? metric_judge(metric, value.number) < 0
                                          : value.number >= rules->limit;
        if (value.state > VALUE_SCALED || !beyond || (found && value.number <= best.number))
            continue;
        found = rules;
        best_metric = metric;
        best = value;
    }
    if (!found)
        return NULL;
    if (best_metric->unit.kind == UNIT_PERCENT)
        snprintf(number, sizeof(number), "%.0f %%", best.number);
    else
        column_format(number, best_metric, best.number, VERDICT_WIDTH);
    str_printf(&verdict->text, "%s%s%s %s", verdict->text.length ? "; " : "",
               best.state == VALUE_SCALED ? "about " : "", number, found->says);
    return found;
}

/* What its slots or cycles are spent on, and where its data comes from. */
static void verdict_compute(struct judgement *verdict)
{
    const struct verdict_rule *rule = verdict_judge(verdict, verdict_slots, true);
    if (!rule)
        rule = verdict_judge(verdict, verdict_cycles, false);
    if (rule && rule->memory)
        verdict_judge(verdict, verdict_memory, false);
}

char *verdict_text(const struct view_context *context, const struct metric_set *metric_set,
                   const struct row *row)
{
    struct judgement verdict = {str_new(), context, metric_set, row};
    struct task_wait wait;
    if (context->settings.kind == VIEW_TASKS && builtin_waits(context, row, true, &wait) &&
        wait.deadlock)
        str_add(&verdict.text, wait.deadlock);
    verdict_judge(&verdict, verdict_waits, false);
    verdict_compute(&verdict);
    return verdict.text.length > 0 ? str_detach(&verdict.text) : NULL;
}

/* --- The machine --- */

/* What a process did: of an event, or for -1 its CPU time. */
static double verdict_amount(const struct row *row, int event)
{
    return event < 0 ? row->oncpu : (double)row->counts[event].value;
}

/* The processes of one name. */
struct verdict_group {
    const struct row *first;
    double amount;
    size_t count; /* that did any of it */
};

/* Adds the name whose processes together did most, and how many these are; returns their share. */
static double verdict_name(struct str *text, const struct view_context *context, int event)
{
    const struct frame *frame = context->frame;
    struct map groups = {0};
    struct verdict_group *most = NULL, *group;
    double all = verdict_amount(&frame->total, event), share = 0;
    for (size_t i = 0; i < frame->process_count; i++) {
        const struct row *row = &frame->processes[i];
        double amount = verdict_amount(row, event);
        uint64_t key = str_hash(row->comm);
        if (!(amount > 0))
            continue;
        if (!(group = map_get(&groups, key)))
            map_put(&groups, key, group = mem_alloc(sizeof(*group)));
        if (group->count++ == 0)
            group->first = row;
        group->amount += amount;
        if (!most || group->amount > most->amount)
            most = group;
    }
    if (most && all > 0) {
        char name[sizeof(most->first->comm) * 2];
        text_clean(name, sizeof(name), most->first->comm, context->settings.ascii);
        share = most->amount / all;
        str_printf(text, most->count > 1 ? "%s (%zu processes)" : "%s", name, most->count);
        if (most->count == 1)
            str_printf(text, " %d", (int)most->first->pid);
    }
    map_free(&groups);
    return share;
}

static void verdict_busy(struct judgement *verdict)
{
    const struct frame *frame = verdict->context->frame;
    size_t cpus;
    double busy = frame_busy(frame, &cpus);
    AUTO_STR struct str name = str_new();
    if (!frame_has_machine(frame) || !frame->process_count || cpus == 0 ||
        busy < 0.9 * (double)cpus)
        return;
    double share = verdict_name(&name, verdict->context, -1);
    str_printf(&verdict->text, "%s%zu CPU%s %.0f %% busy", verdict->text.length ? "; " : "", cpus,
               cpus == 1 ? "" : "s", 100 * busy / (double)cpus);
    if (share >= 0.5)
        str_printf(&verdict->text, ", %.0f %% of it with %s", 100 * share, name.text);
}

/* Adds how much of the time tasks wait for something, judged by the limit of its metric. */
static void verdict_wait(struct judgement *verdict, enum pressure kind, const char *name,
                         const char *says)
{
    const struct metric *metric =
        verdict->metric_set ? metric_set_find(verdict->metric_set, name) : NULL;
    double share = 100 * load_pressure(&verdict->context->frame->load, kind, false);
    if (metric && share >= 0 && metric_judge(metric, share) < 0)
        str_printf(&verdict->text, "%s%.0f %% of the time a task waits for %s",
                   verdict->text.length ? "; " : "", share, says);
}

/* Adds an event that happens often enough to cost much, and who causes it. */
static void verdict_event(struct judgement *verdict, const char *name, double limit,
                          const char *says)
{
    const struct frame *frame = verdict->context->frame;
    int event = alias_find(frame->events, name);
    char number[FORMAT_SIZE];
    AUTO_STR struct str most = str_new();
    if (event < 0 || frame->process_count == 0 ||
        frame->events->events[event].state != EVENT_COUNTED)
        return;
    double rate = verdict_amount(&frame->total, event) / frame->interval;
    if (!(rate >= limit))
        return;
    format_count(number, rate, VERDICT_WIDTH);
    double share = verdict_name(&most, verdict->context, event);
    str_printf(&verdict->text, "%s%s%s %s", verdict->text.length ? "; " : "",
               frame->total.counts[event].coverage < 1 ? "about " : "", number, says);
    if (share >= NOTABLE)
        str_printf(&verdict->text, ", %.0f %% by %s", 100 * share, most.text);
}

char *view_verdict(const struct view *view, const struct frame *frame)
{
    struct view_context context = view_context_of(view);
    struct judgement verdict = {str_new(), &context, view->metric_set, &frame->total};
    context.frame = frame;
    verdict_wait(&verdict, PRESSURE_MEMORY, "psi_memory_pct", "memory");
    verdict_wait(&verdict, PRESSURE_IO, "psi_io_pct", "disks");
    /* They cost 2 us a switch, 1 a fault and 20 a migration: from here on about 4 % of a CPU. */
    verdict_event(&verdict, "context-switches", 20000, "switches a second");
    verdict_event(&verdict, "page-faults", 40000, "page faults a second");
    verdict_event(&verdict, "cpu-migrations", 2000, "migrations a second");
    verdict_compute(&verdict);
    verdict_busy(&verdict);
    verdict_wait(&verdict, PRESSURE_CPU, "psi_cpu_pct", "a CPU");
    return str_detach(&verdict.text);
}
