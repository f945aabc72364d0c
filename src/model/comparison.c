#include "model/comparison.h"
#include "base/base.h"

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
    struct comparison_subject *subject =
        MEM_ADD(comparison->subjects, comparison->subject_count, comparison->subject_room);
    subject->name = mem_strdup(name);
    subject->ran = mem_array(comparison->count, sizeof(*subject->ran));
    return comparison->subject_count - 1;
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
    struct comparison_metric *metric =
        MEM_ADD(subject->metrics, subject->metric_count, subject->metric_room);
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

/* Tests each metric of each subject and side against the first side with that alpha. p: takes a
 * value for each row that is tested, of a function twice the least of its two, so that it is the p
 * of either. Returns their number; NULL: nothing. */
static size_t set_changes(struct comparison *comparison, double alpha, double *p)
{
    size_t count = 0;
    for (size_t s = 0; s < comparison->subject_count; s++) {
        double least = INFINITY;
        for (size_t m = 0; m < comparison->subjects[s].metric_count; m++) {
            struct comparison_metric *metric = &comparison->subjects[s].metrics[m];
            bool counts = metric->kind == COMPARE_COUNT && !comparison->functions;
            for (size_t c = 1; c < comparison->count; c++) {
                struct change *change = &metric->of[c].change;
                *change =
                    change_between(&metric->of[0].summary, &metric->of[c].summary, counts, alpha);
                if (comparison->differs && s > 0 && m > 0) /* a share */
                    change->tested = change->significant = false;
                if (change->tested && p && s == 0)
                    p[count++] = change->p;
                else if (change->tested)
                    least = fmin(least, change->p * (comparison->differs ? 1 : 2));
            }
        }
        if (p && isfinite(least))
            p[count++] = least;
    }
    return count;
}

/* ---- functions ---- */

/* Adds the share of each function in each run as its second metric. */
static void add_shares(struct comparison *comparison)
{
    for (size_t s = 1; s < comparison->subject_count; s++) {
        struct comparison_subject *subject = &comparison->subjects[s];
        struct comparison_metric *share = subject_metric(subject, comparison->count, "share");
        share->kind = COMPARE_PERCENT;
        snprintf(share->unit, sizeof(share->unit), "%%");
        for (size_t c = 0; c < comparison->count; c++) {
            const struct compared *of = &subject->metrics->of[c];
            const struct compared *all = &comparison_all(comparison)->of[c];
            grow_values(&share->of[c], comparison->sides[c].runs);
            for (size_t run = 0; run < of->room && run < comparison->sides[c].runs; run++)
                share->of[c].values[run] = 100 * of->values[run] / all->values[run];
        }
    }
}

/* Few values may not show how much of them is by chance. of: a metric of a function, of which all
 * functions have `total` together, the sum of the sides' means. */
static void set_least(const struct comparison *comparison, struct compared *of, double total,
                      double sampled)
{
    double sum = 0;
    bool few = false;
    for (size_t c = 0; c < comparison->count; c++) {
        sum += of[c].summary.mean;
        few |= of[c].summary.count < EXACT_RUNS_MIN;
    }
    double other = total > sum ? 1 - sum / total : 0;
    for (size_t c = 0; few && c < comparison->count; c++)
        of[c].summary.least_variance = sum / (double)comparison->count * sampled * other;
}

/* The metric that functions have, of all together: the last one. */
const struct comparison_metric *comparison_all(const struct comparison *comparison)
{
    const struct comparison_subject *all = comparison->subjects;
    return all->metric_count > 0 ? &all->metrics[all->metric_count - 1] : NULL;
}

/* What differs first, by how much, then that whose share does; then by what it takes. */
static int by_difference(const void *pa, const void *pb)
{
    const struct comparison_subject *subjects[] = {pa, pb};
    int rank[2];
    double by[2];
    for (int i = 0; i < 2; i++) {
        const struct comparison_metric *metrics = subjects[i]->metrics;
        rank[i] = metrics[0].of[1].change.significant ? 2 : metrics[1].of[1].change.significant;
        const struct compared *of = metrics[rank[i] == 1].of;
        by[i] = rank[i] ? fabs(of[1].summary.mean - of[0].summary.mean)
                        : of[0].summary.mean + of[1].summary.mean;
    }
    return rank[0] != rank[1] ? rank[1] - rank[0] : (by[0] < by[1]) - (by[0] > by[1]);
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
    add_shares(comparison);
    set_summaries(comparison);
    const struct comparison_metric *all = comparison_all(comparison);
    double rate = 1 - COMPARISON_CONFIDENCE, total = 0, percents = 100 * (double)comparison->count;
    for (size_t c = 0; all && c < comparison->count; c++)
        total += all->of[c].summary.mean;
    comparison->differs =
        all && change_between(&all->of[0].summary, &all->of[1].summary, false, rate).significant;
    for (size_t s = 1; s < kept; s++) {
        const struct comparison_metric *metrics = comparison->subjects[s].metrics;
        set_least(comparison, metrics[0].of, total, comparison->sampled);
        set_least(comparison, metrics[1].of, percents, comparison->sampled * percents / total);
    }
    AUTO_FREE double *p = mem_array(comparison->tests + 1, sizeof(*p));
    comparison->tests = set_changes(comparison, 0.5, p);
    comparison->alpha = changes_alpha(p, comparison->tests, rate) / (comparison->differs ? 1 : 2);
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
