#include "view/detail.h"
#include "base/str.h"
#include "metric/metric_set.h"
#include "view/builtin_column.h"
#include "view/column.h"

#include <math.h>
#include <stdio.h>

enum { VERDICT_WIDTH = 7 }; /* of a number */

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

/* Whether it is counted and beyond its limit. *value receives the value. */
static bool verdict_is_beyond(const struct verdict_rule *rule, const struct view_context *context,
                              const struct metric_set *metric_set, const struct row *row,
                              struct value *value)
{
    const struct metric *metric = metric_set_find(metric_set, rule->metric);
    if (!metric || !metric_applies(metric, context->frame->events))
        return false;
    *value = eval_row(metric->expr, context->frame, row);
    if (value->state > VALUE_SCALED)
        return false;
    return isnan(rule->limit) ? metric_judge(metric, value->number) < 0
                              : value->number >= rule->limit;
}

static void verdict_add(struct str *text, const struct metric_set *metric_set,
                        const struct verdict_rule *rule, const struct value *value)
{
    const struct metric *metric = metric_set_find(metric_set, rule->metric);
    char number[FORMAT_SIZE];
    if (metric->unit.kind == UNIT_PERCENT)
        snprintf(number, sizeof(number), "%.0f %%", value->number);
    else
        column_format(number, metric, value->number, VERDICT_WIDTH);
    str_printf(text, "%s%s%s %s", text->length ? "; " : "",
               value->state == VALUE_SCALED ? "about " : "", number, rule->says);
}

/* Adds the first rule of a table beyond its limit, or with `most` the one with the largest value.
 * NULL: no rule is. */
static const struct verdict_rule *verdict_judge(struct str *text, const struct verdict_rule *rules,
                                                bool most, const struct view_context *context,
                                                const struct metric_set *metric_set,
                                                const struct row *row)
{
    const struct verdict_rule *found = NULL;
    struct value value, best = {0};
    for (; rules->metric && (most || !found); rules++)
        if (verdict_is_beyond(rules, context, metric_set, row, &value) &&
            (!found || value.number > best.number)) {
            found = rules;
            best = value;
        }
    if (found)
        verdict_add(text, metric_set, found, &best);
    return found;
}

char *verdict_text(const struct view_context *context, const struct metric_set *metric_set,
                   const struct row *row)
{
    struct str text = str_new();
    struct view_wait wait;
    if (context->settings->kind == VIEW_TASKS && builtin_waits(context, row, true, &wait) &&
        wait.deadlock)
        str_add(&text, wait.deadlock);
    verdict_judge(&text, verdict_waits, false, context, metric_set, row);
    const struct verdict_rule *rule =
        verdict_judge(&text, verdict_slots, true, context, metric_set, row);
    if (!rule)
        rule = verdict_judge(&text, verdict_cycles, false, context, metric_set, row);
    if (rule && rule->memory)
        verdict_judge(&text, verdict_memory, false, context, metric_set, row);
    if (text.length > 0)
        return str_detach(&text);
    str_release(&text);
    return NULL;
}
