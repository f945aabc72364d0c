#include "model/comparison.h"
#include "unit/test.h"

#include <math.h>

static void about(double found, double expected, double tolerance)
{
    if (!(fabs(found - expected) <= tolerance))
        fail_msg("%.12g is not %.12g", found, expected);
}

/* From the tables of the NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2; with one and
 * two degrees of freedom by their closed forms. */
static void quantiles(void **state)
{
    about(student_quantile(0.5, 7), 0, 1e-7);
    about(student_quantile(0.975, 1), tan(acos(-1) * 0.475), 1e-9);
    double p = 0.9995;
    about(student_quantile(p, 2), (2 * p - 1) * sqrt(2 / (4 * p * (1 - p))), 1e-9);
    about(student_quantile(0.95, 5), 2.015, 5e-4);
    about(student_quantile(0.975, 10), 2.228, 5e-4);
    about(student_quantile(0.99, 30), 2.457, 5e-4);
    about(student_quantile(0.999, 4), 7.173, 5e-4);
    about(student_quantile(0.975, 1e6), 1.959966, 2e-6);
}

static void summaries(void **state)
{
    struct summary summary = summary_of((double[]){2, NAN, 4, 4, 4, 5, 5, 7, 9}, 9);
    assert_int_equal(summary.count, 8);
    about(summary.mean, 5, 0);
    about(summary.deviation, sqrt(32.0 / 7), 1e-12);
    assert_true(summary.min == 2 && summary.max == 9);
    summary = summary_of((double[]){0.1, 0.1, 0.1}, 3);
    assert_true(summary.mean == 0.1 && summary.deviation == 0);
    assert_int_equal(summary_of((double[]){NAN}, 1).count, 0);
}

/* The example of Welch's test, with its interval, from the textbook form: the means differ by 5, t
 * is 5 / sqrt(4 / 4 + 9 / 9), of 8.1 degrees of freedom. */
static void change_of_means(void **state)
{
    struct summary a = {.count = 4, .independent = 4, .mean = 100, .deviation = 2};
    struct summary b = {.count = 9, .independent = 9, .mean = 105, .deviation = 3};
    double freedom = 4 / (1.0 / 3 + 1.0 / 8), t = 5 / sqrt(2);
    struct change change = change_between(&a, &b, false, 0.01);
    about(change.ratio, 0.05, 1e-12);
    assert_true(change.tested && change.significant);
    assert_true(student_quantile(0.995, freedom) < t);
    assert_true(change.low > 0 && change.low < 0.05 && change.high > 0.05 && change.high < 0.11);
    /* Where the test only just says so, the interval only just has no 0. */
    double low = 1e-6, high = 0.5;
    for (int i = 0; i < 100; i++) {
        double alpha = (low + high) / 2;
        change = change_between(&a, &b, false, alpha);
        assert_int_equal(change.significant, change.low > 0);
        if (change.significant)
            high = alpha;
        else
            low = alpha;
    }
    about(student_quantile(1 - high / 2, freedom), t, 1e-6);
    about(change.low, 0, 1e-9);
}

static void exact_counts(void **state)
{
    struct summary a = {.count = 5, .independent = 5, .mean = 1000000},
                   b = {.count = 5, .independent = 5, .mean = 1010000};
    struct change change = change_between(&a, &b, true, 0.001);
    assert_true(change.significant);
    about(change.ratio, 0.01, 1e-12);
    assert_true(change.low > 0.00999 && change.high < 0.01001);
    change = change_between(&a, &a, true, 0.001);
    assert_true(change.tested && !change.significant && change.low < 0 && change.high > 0);
    /* 3 twice and 4 twice is chance. */
    a = (struct summary){.count = 2, .independent = 2, .mean = 3};
    b = (struct summary){.count = 2, .independent = 2, .mean = 4};
    assert_false(change_between(&a, &b, true, 0.01).significant);
    assert_false(change_between(&a, &b, false, 0.01).significant);
    a.count = b.count = EXACT_RUNS_MIN;
    a.independent = b.independent = EXACT_RUNS_MIN;
    change = change_between(&a, &b, false, 0.01);
    assert_true(change.significant && change.low == change.ratio && change.high == change.ratio);
    /* From 0 there is no ratio, but a difference. */
    a = (struct summary){.count = 20, .independent = 20, .mean = 0};
    b = (struct summary){.count = 20, .independent = 20, .mean = 40, .deviation = 3};
    change = change_between(&a, &b, true, 0.01);
    assert_true(change.significant && isnan(change.ratio) && isnan(change.low));
    a.count = 1;
    a.independent = 1;
    assert_false(change_between(&b, &a, true, 0.01).tested);
}

static void outliers(void **state)
{
    bool marks[9];
    const double values[] = {1, 1.01, 1.02, 0.99, 3, 1.01, 1, 0.98, 1.03};
    assert_int_equal(outliers_mark(values, 9, marks), 1);
    assert_true(marks[4] && !marks[0]);
    assert_int_equal(outliers_mark(values, OUTLIER_RUNS_MIN - 1, marks), 0);
    /* Nearly equal values: what is far in their measure is near in all others. */
    assert_int_equal(outliers_mark((double[]){1, 1, 1, 1, 1, 1, 1, 1, 1.05}, 9, marks), 0);
}

/* xorshift64*: the same numbers each time. */
static double uniform(uint64_t *seed)
{
    *seed ^= *seed >> 12;
    *seed ^= *seed << 25;
    *seed ^= *seed >> 27;
    return ((double)(*seed * 2685821657736338717ULL >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(uint64_t *seed)
{
    double radius = sqrt(-2 * log(uniform(seed)));
    return radius * cos(2 * acos(-1) * uniform(seed));
}

/* A value that is missing is told from a ratio that is undefined. */
static void absent(void **state)
{
    struct comparison *comparison = comparison_new((const char *[]){"a"}, 1, false);
    comparison_set(comparison, 0, 0, "elapsed", COMPARE_SECONDS, "s", 1, 1);
    comparison_set(comparison, 0, 0, "missing", COMPARE_NUMBER, "", NAN, 0);
    comparison_set(comparison, 0, 0, "undefined", COMPARE_NUMBER, "", NAN, 1);
    comparison_end_run(comparison, 0);
    comparison_finish(comparison);
    const struct comparison_metric *metrics = comparison->subjects->metrics;
    assert_int_equal(metrics[1].of->summary.count, 0);
    assert_int_equal(metrics[2].of->summary.count, 0);
    assert_false(metrics[0].of->undefined || metrics[1].of->undefined);
    assert_true(metrics[2].of->undefined);
    comparison_free(comparison);
}

/* A run as a busy machine makes them: a skewed time that now and then is twice as long, counters
 * that follow it, small counts, an exact one, and a ratio. `faster`: the part of the work that is
 * missing. */
static void make_run(struct comparison *comparison, size_t command, uint64_t *seed, double faster)
{
    double noise = exp(0.02 * normal(seed)) * (uniform(seed) < 0.03 ? 1 + uniform(seed) : 1);
    double elapsed = (1 - faster) * noise, user = 0.8 * elapsed * exp(0.01 * normal(seed));
    double switches = floor(4 * uniform(seed)), moved = uniform(seed) < 0.3;
    comparison_set(comparison, 0, command, "elapsed", COMPARE_SECONDS, "s", elapsed, 1);
    comparison_set(comparison, 0, command, "user", COMPARE_SECONDS, "s", user, 1);
    comparison_set(comparison, 0, command, "kernel", COMPARE_SECONDS, "s", elapsed - user, 1);
    comparison_set(comparison, 0, command, "cpu_pct", COMPARE_PERCENT, "%", 100 * user / elapsed,
                   1);
    comparison_set(comparison, 0, command, "cycles", COMPARE_COUNT, "", floor(1e9 * user), 1);
    comparison_set(comparison, 0, command, "switches", COMPARE_COUNT, "", switches, 1);
    comparison_set(comparison, 0, command, "moved", COMPARE_COUNT, "", moved, 1);
    comparison_set(comparison, 0, command, "exact", COMPARE_COUNT, "", 123456, 1);
    comparison_end_run(comparison, command);
}

/* The number of comparisons, of `count`, in which the commands are called different. */
static int called_different(int count, size_t runs, double faster, uint64_t *seed)
{
    int different = 0;
    for (int i = 0; i < count; i++) {
        struct comparison *comparison = comparison_new((const char *[]){"a", "b"}, 2, false);
        bool found = false;
        for (size_t run = 0; run < runs; run++)
            for (size_t c = 0; c < 2; c++)
                make_run(comparison, c, seed, c ? faster : 0);
        comparison_finish(comparison);
        assert_int_equal(comparison->tests, comparison->subjects->metric_count);
        for (size_t m = 0; m < comparison->subjects->metric_count; m++)
            found |= comparison->subjects->metrics[m].of[1].change.significant;
        assert_true(comparison->subjects->metrics[7].of[0].summary.deviation == 0);
        different += found;
        comparison_free(comparison);
    }
    return different;
}

static void equal_commands(void **state)
{
    uint64_t seed = 20261124;
    static const size_t runs[] = {2, 3, 5, 10, 30};
    for (size_t i = 0; i < sizeof(runs) / sizeof(*runs); i++) {
        int different = called_different(1000, runs[i], 0, &seed);
        print_message("%zu runs: %d of 1000 equal pairs are called different\n", runs[i],
                      different);
        if (different > 50)
            fail_msg("%zu runs: %d of 1000 equal pairs are called different", runs[i], different);
    }
    int different = called_different(100, 20, 0.05, &seed);
    print_message("20 runs: %d of 100 pairs that differ by 5 %% are called different\n", different);
    assert_true(different >= 95);
}

/* Values whose neighbours have that correlation: an autoregressive process of first order. */
static struct summary resembling(size_t count, double correlation, uint64_t *seed)
{
    struct time_series series = {0};
    double value = normal(seed) / sqrt(1 - correlation * correlation);
    for (size_t i = 0; i < count; i++) {
        time_series_add(&series, 100 + value);
        value = correlation * value + normal(seed);
    }
    return time_series_summary(&series);
}

static void neighbours(void **state)
{
    /* By hand: of the 19 products of neighbours' distances from the mean 10 are 1 and 9 are -1, and
     * there are 20 squares of 1. */
    struct time_series series = {0};
    const double values[] = {4, 4, NAN, 6, 6};
    for (size_t i = 0; i < 25; i++)
        time_series_add(&series, values[i % 5]);
    struct summary summary = time_series_summary(&series);
    double r = 1.0 / 20 + (1 + 4.0 / 20) / 20;
    assert_int_equal(summary.count, 20);
    about(summary.mean, 5, 1e-12);
    about(summary.deviation, sqrt(20.0 / 19), 1e-12);
    about(summary.independent, 20 * (1 - r) / (1 + r), 1e-9);
    series = (struct time_series){0};
    for (size_t i = 0; i < 5; i++)
        time_series_add(&series, 7);
    about(time_series_summary(&series).independent, 5, 0);

    uint64_t seed = 20261125;
    static const size_t counts[] = {10, 30, 300};
    static const double correlations[] = {0, 0.5, 0.8};
    for (size_t n = 0; n < 3; n++)
        for (size_t c = 0; c < 3; c++) {
            int different = 0;
            for (int i = 0; i < 2000; i++) {
                struct summary a = resembling(counts[n], correlations[c], &seed);
                struct summary b = resembling(counts[n], correlations[c], &seed);
                different += change_between(&a, &b, false, 0.01).significant;
            }
            print_message("%zu values with correlation %g: %d of 2000 equal pairs differ\n",
                          counts[n], correlations[c], different);
            if (different > 100)
                fail_msg("%d of 2000 equal pairs differ", different);
        }
}

static void left_out(void **state)
{
    struct comparison *comparison = comparison_new((const char *[]){"a"}, 1, false);
    for (size_t run = 0; run < 10; run++) {
        comparison_set(comparison, 0, 0, "elapsed", COMPARE_SECONDS, "s", run == 3 ? 9 : 1, 1);
        if (run != 5)
            comparison_set(comparison, 0, 0, "misses", COMPARE_COUNT, "", run == 3 ? 900 : 10, 0.5);
        comparison_end_run(comparison, 0);
    }
    comparison_finish(comparison);
    assert_int_equal(comparison->sides[0].outliers, 1);
    assert_true(comparison->sides[0].left_out[3]);
    const struct compared *misses = comparison->subjects->metrics[1].of;
    assert_int_equal(misses->summary.count, 8);
    assert_true(misses->summary.max == 10 && misses->coverage == 0.5);
    comparison_free(comparison);
}
