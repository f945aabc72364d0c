#include "model/comparison.h"
#include "base/mem.h"
#include "base/str.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct comparison *comparison_new(const char *const *commands, size_t count)
{
    struct comparison *comparison = mem_alloc(sizeof(*comparison));
    comparison->count = count;
    comparison->commands = mem_array(count, sizeof(*comparison->commands));
    for (size_t c = 0; c < count; c++)
        comparison->commands[c].text = mem_strdup(commands[c]);
    return comparison;
}

void comparison_free(struct comparison *comparison)
{
    if (!comparison)
        return;
    for (size_t m = 0; m < comparison->metric_count; m++) {
        struct comparison_metric *metric = &comparison->metrics[m];
        for (size_t c = 0; c < comparison->count; c++)
            free(metric->of[c].values);
        free(metric->of);
        free(metric->name);
    }
    for (size_t c = 0; c < comparison->count; c++) {
        free(comparison->commands[c].text);
        free(comparison->commands[c].left_out);
    }
    free(comparison->metrics);
    free(comparison->commands);
    free(comparison);
}

static struct comparison_metric *comparison_metric(struct comparison *comparison, const char *name)
{
    for (size_t m = 0; m < comparison->metric_count; m++)
        if (str_equal(comparison->metrics[m].name, name))
            return &comparison->metrics[m];
    mem_grow(&comparison->metrics, &comparison->metric_room, comparison->metric_count + 1,
             sizeof(*comparison->metrics));
    struct comparison_metric *metric = &comparison->metrics[comparison->metric_count++];
    metric->name = mem_strdup(name);
    metric->of = mem_array(comparison->count, sizeof(*metric->of));
    for (size_t c = 0; c < comparison->count; c++)
        metric->of[c].coverage = 1;
    return metric;
}

/* Makes room for the values of that many runs; new ones are NAN. */
static void grow_values(struct compared *of, size_t runs)
{
    size_t before = of->room;
    mem_grow(&of->values, &of->room, runs, sizeof(*of->values));
    for (size_t i = before; i < of->room; i++)
        of->values[i] = NAN;
}

void comparison_set(struct comparison *comparison, size_t command, const char *name,
                    enum comparison_kind kind, const char *unit, double value, double coverage)
{
    struct comparison_metric *metric = comparison_metric(comparison, name);
    struct compared *of = &metric->of[command];
    size_t run = comparison->commands[command].runs;
    metric->kind = kind;
    snprintf(metric->unit, sizeof(metric->unit), "%s", unit);
    grow_values(of, run + 1);
    of->values[run] = value;
    if (!isnan(value) && coverage < of->coverage)
        of->coverage = coverage;
}

void comparison_end_run(struct comparison *comparison, size_t command)
{
    comparison->commands[command].runs++;
}

static void leave_out(struct comparison *comparison, size_t command)
{
    struct compared_command *of = &comparison->commands[command];
    free(of->left_out);
    of->left_out = mem_array(of->runs, sizeof(*of->left_out));
    of->outliers = outliers_mark(comparison->metrics[0].of[command].values, of->runs, of->left_out);
}

static void summarize(struct comparison *comparison, struct comparison_metric *metric,
                      size_t command)
{
    const struct compared_command *of = &comparison->commands[command];
    double *kept = mem_array(of->runs, sizeof(*kept));
    size_t count = 0;
    grow_values(&metric->of[command], of->runs);
    for (size_t run = 0; run < of->runs; run++)
        if (!of->left_out[run])
            kept[count++] = metric->of[command].values[run];
    metric->of[command].summary = summary_of(kept, count);
    free(kept);
}

void comparison_finish(struct comparison *comparison)
{
    comparison->tests = 0;
    for (size_t c = 0; c < comparison->count && comparison->metric_count; c++)
        leave_out(comparison, c);
    for (size_t m = 0; m < comparison->metric_count; m++)
        for (size_t c = 0; c < comparison->count; c++) {
            struct compared *of = comparison->metrics[m].of;
            summarize(comparison, &comparison->metrics[m], c);
            comparison->tests += c > 0 && of[0].summary.count > 1 && of[c].summary.count > 1;
        }
    double share = (double)(comparison->tests ? comparison->tests : 1);
    for (size_t m = 0; m < comparison->metric_count; m++)
        for (size_t c = 1; c < comparison->count; c++) {
            struct comparison_metric *metric = &comparison->metrics[m];
            metric->of[c].change =
                change_between(&metric->of[0].summary, &metric->of[c].summary,
                               metric->kind == COMPARE_COUNT, (1 - COMPARISON_CONFIDENCE) / share);
        }
}
