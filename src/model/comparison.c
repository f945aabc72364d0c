#include "model/comparison.h"
#include "base/mem.h"
#include "base/str.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct comparison *comparison_new(const char *const *sides, size_t count, bool recordings)
{
    struct comparison *comparison = mem_alloc(sizeof(*comparison));
    comparison->recordings = recordings;
    comparison->count = count;
    comparison->sides = mem_array(count, sizeof(*comparison->sides));
    for (size_t c = 0; c < count; c++)
        comparison->sides[c].text = mem_strdup(sides ? sides[c] : NULL);
    comparison_add_subject(comparison, NULL);
    return comparison;
}

static void subject_release(struct comparison_subject *subject, size_t sides)
{
    for (size_t m = 0; m < subject->metric_count; m++) {
        struct comparison_metric *metric = &subject->metrics[m];
        for (size_t c = 0; c < sides; c++)
            free(metric->of[c].values);
        free(metric->of);
        free(metric->name);
    }
    free(subject->metrics);
    free(subject->ran);
    free(subject->name);
    free(subject->object);
}

void comparison_free(struct comparison *comparison)
{
    if (!comparison)
        return;
    for (size_t s = 0; s < comparison->subject_count; s++)
        subject_release(&comparison->subjects[s], comparison->count);
    for (size_t c = 0; c < comparison->count; c++) {
        free(comparison->sides[c].text);
        free(comparison->sides[c].left_out);
    }
    free(comparison->subjects);
    free(comparison->sides);
    free(comparison);
}

size_t comparison_add_subject(struct comparison *comparison, const char *name)
{
    mem_grow(&comparison->subjects, &comparison->subject_room, comparison->subject_count + 1,
             sizeof(*comparison->subjects));
    struct comparison_subject *subject = &comparison->subjects[comparison->subject_count];
    subject->name = mem_strdup(name);
    subject->ran = mem_array(comparison->count, sizeof(*subject->ran));
    return comparison->subject_count++;
}

/* Metrics are set in the same order in each run, so the one after the last is tried first. */
static struct comparison_metric *subject_metric(struct comparison_subject *subject, size_t sides,
                                                const char *name)
{
    for (size_t i = 0; i < subject->metric_count; i++) {
        size_t m = (subject->next + i) % subject->metric_count;
        if (str_equal(subject->metrics[m].name, name)) {
            subject->next = m + 1;
            return &subject->metrics[m];
        }
    }
    mem_grow(&subject->metrics, &subject->metric_room, subject->metric_count + 1,
             sizeof(*subject->metrics));
    struct comparison_metric *metric = &subject->metrics[subject->metric_count++];
    metric->name = mem_strdup(name);
    metric->of = mem_array(sides, sizeof(*metric->of));
    for (size_t c = 0; c < sides; c++)
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

void comparison_set(struct comparison *comparison, size_t subject, size_t side, const char *name,
                    enum comparison_kind kind, const char *unit, double value, double coverage)
{
    struct comparison_metric *metric =
        subject_metric(&comparison->subjects[subject], comparison->count, name);
    struct compared *of = &metric->of[side];
    size_t run = comparison->sides[side].runs;
    metric->kind = kind;
    snprintf(metric->unit, sizeof(metric->unit), "%s", unit);
    if (comparison->recordings && !comparison->functions) {
        time_series_add(&of->series, value);
    } else {
        grow_values(of, run + 1);
        of->values[run] = value;
    }
    if (isnan(value))
        of->undefined |= coverage > 0;
    else if (coverage < of->coverage)
        of->coverage = coverage;
}

void comparison_add(struct comparison *comparison, size_t subject, size_t side, const char *name,
                    enum comparison_kind kind, const char *unit, double value)
{
    struct compared *of =
        &subject_metric(&comparison->subjects[subject], comparison->count, name)->of[side];
    size_t run = comparison->sides[side].runs;
    double before = run < of->room && !isnan(of->values[run]) ? of->values[run] : 0;
    comparison_set(comparison, subject, side, name, kind, unit, before + value, 1);
}

void comparison_scale_run(struct comparison *comparison, size_t side, double factor)
{
    size_t run = comparison->sides[side].runs;
    for (size_t s = 0; s < comparison->subject_count; s++)
        for (size_t m = 0; m < comparison->subjects[s].metric_count; m++) {
            struct compared *of = &comparison->subjects[s].metrics[m].of[side];
            if (run < of->room)
                of->values[run] *= factor;
        }
}

void comparison_drop_subject(struct comparison *comparison, size_t subject)
{
    free(comparison->subjects[subject].name);
    comparison->subjects[subject].name = NULL;
}

void comparison_end_run(struct comparison *comparison, size_t side)
{
    comparison->sides[side].runs++;
}

void comparison_copy(struct comparison *comparison, size_t subject, size_t side,
                     const struct comparison *from)
{
    for (size_t m = 0; m < from->subjects->metric_count; m++) {
        const struct comparison_metric *metric = &from->subjects->metrics[m];
        struct comparison_metric *copy =
            subject_metric(&comparison->subjects[subject], comparison->count, metric->name);
        copy->kind = metric->kind;
        memcpy(copy->unit, metric->unit, sizeof(copy->unit));
        copy->of[side] = metric->of[side];
    }
}

static void leave_out(struct comparison *comparison, size_t side)
{
    struct comparison_side *of = &comparison->sides[side];
    const struct comparison_subject *subject = comparison->subjects;
    if (comparison->recordings || !subject->metric_count)
        return;
    free(of->left_out);
    of->left_out = mem_array(of->runs, sizeof(*of->left_out));
    of->outliers = outliers_mark(subject->metrics[0].of[side].values, of->runs, of->left_out);
}

static struct summary summarize(struct comparison *comparison, struct compared *compared,
                                size_t side)
{
    const struct comparison_side *of = &comparison->sides[side];
    if (comparison->recordings && !comparison->functions)
        return time_series_summary(&compared->series);
    AUTO_FREE double *kept = mem_array(of->runs, sizeof(*kept));
    size_t count = 0;
    grow_values(compared, of->runs);
    for (size_t run = 0; run < of->runs; run++)
        if (!of->left_out || !of->left_out[run])
            kept[count++] =
                comparison->functions && isnan(compared->values[run]) ? 0 : compared->values[run];
    for (size_t run = 0; comparison->recordings && run < count; run++)
        time_series_add(&compared->series, kept[run]);
    return comparison->recordings ? time_series_summary(&compared->series)
                                  : summary_of(kept, count);
}

/* Sets the summaries of all metrics and sides, and the number of tests. */
static void set_summaries(struct comparison *comparison)
{
    for (size_t s = 0; s < comparison->subject_count; s++)
        for (size_t m = 0; m < comparison->subjects[s].metric_count; m++) {
            struct compared *of = comparison->subjects[s].metrics[m].of;
            for (size_t c = 0; c < comparison->count; c++) {
                of[c].summary = summarize(comparison, &of[c], c);
                comparison->tests +=
                    c > 0 && of[0].summary.independent >= 2 && of[c].summary.independent >= 2;
            }
        }
}

/* Tests each metric of each subject and side against the first side with that alpha. p: takes as
 * many values as are tested; NULL: nothing. */
static void set_changes(struct comparison *comparison, double alpha, double *p)
{
    size_t count = 0;
    for (size_t s = 0; s < comparison->subject_count; s++)
        for (size_t m = 0; m < comparison->subjects[s].metric_count; m++) {
            struct comparison_metric *metric = &comparison->subjects[s].metrics[m];
            bool counts = metric->kind == COMPARE_COUNT && !comparison->functions;
            for (size_t c = 1; c < comparison->count; c++) {
                struct change *change = &metric->of[c].change;
                *change =
                    change_between(&metric->of[0].summary, &metric->of[c].summary, counts, alpha);
                if (change->tested && p)
                    p[count++] = change->p;
            }
        }
}

/* ---- functions ---- */

/* Few values may not show how much of them is by chance. */
static void set_least(const struct comparison *comparison, struct comparison_metric *metric,
                      const struct comparison_metric *all)
{
    double mean = 0, total = 0;
    bool few = false;
    for (size_t c = 0; c < comparison->count; c++) {
        mean += metric->of[c].summary.mean;
        total += all->of[c].summary.mean;
        few |= metric->of[c].summary.count < EXACT_RUNS_MIN;
    }
    double other = total > mean ? 1 - mean / total : 0;
    for (size_t c = 0; few && c < comparison->count; c++)
        metric->of[c].summary.least_variance =
            mean / (double)comparison->count * comparison->sampled * other;
}

/* The metric that functions have, of all together: the last one. */
const struct comparison_metric *comparison_all(const struct comparison *comparison)
{
    const struct comparison_subject *all = comparison->subjects;
    return all->metric_count > 0 ? &all->metrics[all->metric_count - 1] : NULL;
}

/* What differs first, by how much; then by what it takes. */
static int by_difference(const void *pa, const void *pb)
{
    const struct compared *a = ((const struct comparison_subject *)pa)->metrics->of;
    const struct compared *b = ((const struct comparison_subject *)pb)->metrics->of;
    bool differs = a[1].change.significant;
    if (differs != b[1].change.significant)
        return differs ? -1 : 1;
    double x = differs ? fabs(a[1].summary.mean - a[0].summary.mean)
                       : a[0].summary.mean + a[1].summary.mean;
    double y = differs ? fabs(b[1].summary.mean - b[0].summary.mean)
                       : b[0].summary.mean + b[1].summary.mean;
    return (x < y) - (x > y);
}

static void finish_functions(struct comparison *comparison)
{
    size_t kept = 1;
    for (size_t s = 1; s < comparison->subject_count; s++)
        if (comparison->subjects[s].name)
            comparison->subjects[kept++] = comparison->subjects[s];
        else
            subject_release(&comparison->subjects[s], comparison->count);
    comparison->subject_count = kept;
    set_summaries(comparison);
    const struct comparison_metric *all = comparison_all(comparison);
    for (size_t s = 1; s < kept; s++)
        set_least(comparison, comparison->subjects[s].metrics, all);
    AUTO_FREE double *p = mem_array(comparison->tests + 1, sizeof(*p));
    set_changes(comparison, 0.5, p);
    comparison->alpha = changes_alpha(p, comparison->tests, 1 - COMPARISON_CONFIDENCE);
    set_changes(comparison, comparison->alpha, NULL);
    qsort(comparison->subjects + 1, kept - 1, sizeof(*comparison->subjects), by_difference);
}

void comparison_finish(struct comparison *comparison)
{
    comparison->tests = 0;
    for (size_t c = 0; c < comparison->count; c++)
        leave_out(comparison, c);
    if (comparison->functions) {
        finish_functions(comparison);
        return;
    }
    set_summaries(comparison);
    size_t tests = comparison->tests ? comparison->tests : 1;
    set_changes(comparison, (1 - COMPARISON_CONFIDENCE) / (double)tests, NULL);
}
