#include "view/detail.h"
#include "metric/alias.h"
#include "view/builtin_column.h"
#include "view/state.h"

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
    struct verdict_wording *wording;
    struct verdict_part *part; /* the last one */
};

/* Begins a part, which is said for a reason, in kept words for that of before; NULL: it is not. */
static const void *verdict_says(struct judgement *verdict, enum verdict_place place,
                                const void *reason)
{
    verdict->part = &verdict->wording->parts[place];
    if (!verdict->wording->kept)
        *verdict->part = (struct verdict_part){.reason = reason};
    return verdict->part->reason;
}

/* Adds a number of a part, the first, second or third: in kept words as wide as before, so that
 * those behind it stay where they are. */
static void verdict_number(struct judgement *verdict, int nth, const char *number)
{
    int *width = &verdict->part->widths[nth], needed = (int)strlen(number);
    *width = needed > *width ? needed : *width;
    str_printf(&verdict->text, "%*s", *width, number);
}

static void verdict_percent(struct judgement *verdict, int nth, int decimals, double percent)
{
    char number[FORMAT_SIZE];
    snprintf(number, sizeof(number), "%.*f %%", decimals, percent);
    verdict_number(verdict, nth, number);
}

/* What separates a part from the one before it. */
static void verdict_join(struct judgement *verdict, bool estimate)
{
    str_printf(&verdict->text, "%s%s", verdict->text.length ? "; " : "", estimate ? "about " : "");
}

/* Adds the first rule of a table beyond its limit, or with `most` the largest. NULL: no rule is. */
static const struct verdict_rule *verdict_judge(struct judgement *verdict, enum verdict_place place,
                                                const struct verdict_rule *rules, bool most)
{
    const struct frame *frame = verdict->context->frame;
    const struct verdict_rule *found = NULL, *kept = verdict_says(verdict, place, NULL);
    const struct metric *best_metric = NULL;
    struct value best = {0};
    char number[FORMAT_SIZE];
    for (; verdict->metric_set && rules->metric && (most || !found); rules++) {
        const struct metric *metric = metric_set_find(verdict->metric_set, rules->metric);
        if (!metric || !metric_applies(metric, frame->events))
            continue;
        struct value value = eval_row(metric->expr, frame, verdict->row);
        bool beyond = verdict->wording->kept ? rules == kept
                      : isnan(rules->limit)  ? metric_judge(metric, value.number) < 0
                                             : value.number >= rules->limit;
        if (value.state > VALUE_SCALED || !beyond || (found && value.number <= best.number))
            continue;
        found = rules;
        best_metric = metric;
        best = value;
    }
    if (!found)
        return NULL;
    verdict->part->reason = found;
    verdict_join(verdict, best.state == VALUE_SCALED);
    if (best_metric->unit.kind == UNIT_PERCENT) {
        verdict_percent(verdict, 0, 0, best.number);
    } else {
        column_format(number, best_metric, best.number, VERDICT_WIDTH);
        verdict_number(verdict, 0, number);
    }
    str_printf(&verdict->text, " %s", found->says);
    return found;
}

/* What its slots or cycles are spent on, and where its data comes from. */
static void verdict_compute(struct judgement *verdict)
{
    const struct verdict_rule *rule = verdict_judge(verdict, VERDICT_SLOTS, verdict_slots, true);
    if (!rule)
        rule = verdict_judge(verdict, VERDICT_CYCLES, verdict_cycles, false);
    if (rule && rule->memory)
        verdict_judge(verdict, VERDICT_DATA, verdict_memory, false);
}

char *verdict_text(const struct view_context *context, const struct metric_set *metric_set,
                   const struct row *row)
{
    struct verdict_wording wording = {0};
    struct judgement verdict = {str_new(), context, metric_set, row, &wording, NULL};
    struct task_wait wait;
    if (context->settings.kind == VIEW_TASKS && builtin_waits(context, row, true, &wait) &&
        wait.deadlock)
        str_add(&verdict.text, wait.deadlock);
    verdict_judge(&verdict, VERDICT_WAITS, verdict_waits, false);
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

/* Says the name whose processes together did most of the total, if that is at least a limit (0 to
 * 1), with its share and how many these are: "68 % by cc1 (12 processes)". Kept words keep a name.
 */
static void verdict_name(struct judgement *verdict, int event, double least, const char *by)
{
    const struct view_context *context = verdict->context;
    const struct frame *frame = context->frame;
    struct verdict_part *part = verdict->part;
    struct map groups = {0};
    struct verdict_group *most = NULL, *group;
    double all = verdict_amount(&frame->total, event);
    for (size_t i = 0; i < frame->process_count; i++) {
        const struct row *row = &frame->processes[i];
        double amount = verdict_amount(row, event);
        uint64_t key = str_hash(row->comm);
        if (!(amount > 0) || (verdict->wording->kept && !str_equal(row->comm, part->name)))
            continue;
        if (!(group = map_get(&groups, key)))
            map_put(&groups, key, group = mem_alloc(sizeof(*group)));
        if (group->count++ == 0)
            group->first = row;
        group->amount += amount;
        if (!most || group->amount > most->amount)
            most = group;
    }
    if (most && !verdict->wording->kept && most->amount / all >= least)
        memcpy(part->name, most->first->comm, sizeof(part->name));
    if (*part->name) {
        char name[sizeof(part->name) * 2];
        text_clean(name, sizeof(name), part->name, context->settings.ascii);
        str_add(&verdict->text, ", ");
        verdict_percent(verdict, 1, 0, most && all > 0 ? 100 * most->amount / all : 0);
        str_printf(&verdict->text, " %s %s", by, name);
        if (most && most->count == 1)
            str_printf(&verdict->text, " %d", (int)most->first->pid);
        else if (most)
            str_printf(&verdict->text, " (%zu processes)", most->count);
    }
    map_free(&groups);
}

static void verdict_busy(struct judgement *verdict)
{
    const struct frame *frame = verdict->context->frame;
    size_t cpus;
    double busy = frame_busy(frame, &cpus);
    bool known = frame_has_machine(frame) && frame->process_count > 0 && cpus > 0;
    if (!verdict_says(verdict, VERDICT_BUSY, busy >= 0.9 * (double)cpus ? "busy" : NULL) || !known)
        return;
    verdict_join(verdict, false);
    str_printf(&verdict->text, "%zu CPU%s ", cpus, cpus == 1 ? "" : "s");
    verdict_percent(verdict, 0, 1, 100 * busy / (double)cpus);
    str_add(&verdict->text, " busy");
    verdict_name(verdict, -1, 0.5, "of it with");
}

/* Adds how much of the time tasks wait for something, judged by the limit of its metric. */
static void verdict_wait(struct judgement *verdict, enum pressure kind, const char *name,
                         const char *says)
{
    const struct metric *metric =
        verdict->metric_set ? metric_set_find(verdict->metric_set, name) : NULL;
    double share = 100 * load_pressure(&verdict->context->frame->load, kind, false);
    bool bad = metric && share >= 0 && metric_judge(metric, share) < 0;
    if (!verdict_says(verdict, VERDICT_PRESSURES + kind, bad ? metric : NULL) || share < 0)
        return;
    verdict_join(verdict, false);
    verdict_percent(verdict, 0, 0, share);
    str_printf(&verdict->text, " of the time a task waits for %s", says);
}

/* Adds an event that happens often enough to cost much, and who causes it. */
static void verdict_event(struct judgement *verdict, enum verdict_place place, const char *name,
                          double limit, const char *says)
{
    const struct frame *frame = verdict->context->frame;
    int event = alias_find(frame->events, name);
    char number[FORMAT_SIZE];
    bool known = event >= 0 && frame->process_count > 0 &&
                 frame->events->events[event].state == EVENT_COUNTED;
    double rate = known ? verdict_amount(&frame->total, event) / frame->interval : 0;
    if (!verdict_says(verdict, place, rate >= limit ? says : NULL) || !known)
        return;
    verdict_join(verdict, frame->total.counts[event].coverage < 1);
    format_count(number, format_whole_rate(rate, frame->interval), VERDICT_WIDTH);
    verdict_number(verdict, 0, number);
    str_printf(&verdict->text, " %s", says);
    verdict_name(verdict, event, NOTABLE, "by");
}

char *view_verdict(const struct view *view, const struct frame *frame,
                   struct verdict_wording *wording)
{
    struct view_context context = view_context_of(view);
    struct judgement verdict = {str_new(),     &context, view->metric_set,
                                &frame->total, wording,  NULL};
    context.frame = frame;
    verdict_wait(&verdict, PRESSURE_MEMORY, "psi_memory_pct", "memory");
    verdict_wait(&verdict, PRESSURE_IO, "psi_io_pct", "disks");
    /* They cost 2 us a switch, 1 a fault and 20 a migration: from here on about 4 % of a CPU. */
    verdict_event(&verdict, VERDICT_SWITCHES, "context-switches", 20000, "switches a second");
    verdict_event(&verdict, VERDICT_FAULTS, "page-faults", 40000, "page faults a second");
    verdict_event(&verdict, VERDICT_MIGRATIONS, "cpu-migrations", 2000, "migrations a second");
    verdict_compute(&verdict);
    verdict_busy(&verdict);
    verdict_wait(&verdict, PRESSURE_CPU, "psi_cpu_pct", "a CPU");
    return str_detach(&verdict.text);
}
