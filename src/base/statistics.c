#include "base/statistics.h"
#include "base/mem.h"

#include <math.h>

void time_series_add(struct time_series *series, double value)
{
    if (isnan(value))
        return;
    if (series->count == 0)
        series->first = series->last = series->min = series->max = value;
    series->products += (series->last - series->first) * (value - series->first);
    series->last = value;
    series->min = series->min < value ? series->min : value;
    series->max = series->max > value ? series->max : value;
    /* Welford: exact where all values are equal, and without cancellation. */
    double delta = value - series->mean;
    series->count++;
    series->mean += delta / (double)series->count;
    series->squares += delta * (value - series->mean);
}

/* The correlation of each value with the next one. */
static double neighbour_correlation(const struct time_series *series)
{
    double count = (double)series->count, mean = series->mean - series->first;
    double last = series->last - series->first;
    /* Of all but the last value, and of all but the first, whose distance is 0. */
    double sums = 2 * count * mean - last;
    double products = series->products - mean * sums + (count - 1) * mean * mean;
    double r = products / series->squares;
    return r + (1 + 4 * r) / count;
}

struct summary time_series_summary(const struct time_series *series)
{
    struct summary summary = {.count = series->count,
                              .mean = series->mean,
                              .min = series->min,
                              .max = series->max,
                              .independent = (double)series->count};
    if (series->count < 2 || !(series->squares > 0))
        return summary;
    summary.deviation = sqrt(series->squares / (double)(series->count - 1));
    double r = neighbour_correlation(series);
    if (r > 0)
        summary.independent *= r < 1 ? (1 - r) / (1 + r) : 0;
    if (summary.independent < 1)
        summary.independent = 1;
    return summary;
}

struct summary summary_of(const double *values, size_t count)
{
    struct time_series series = {0};
    for (size_t i = 0; i < count; i++)
        time_series_add(&series, values[i]);
    struct summary summary = time_series_summary(&series);
    summary.independent = (double)summary.count;
    return summary;
}

/* The continued fraction of the incomplete beta function, by the modified Lentz algorithm. */
static double beta_fraction(double x, double a, double b)
{
    enum { TERMS = 1000 };
    static const double tiny = 1e-300, enough = 1e-15;
    double c = 1, d = 1 - (a + b) * x / (a + 1);
    d = 1 / (fabs(d) < tiny ? tiny : d);
    double result = d;
    for (int m = 1; m <= TERMS; m++) {
        double before = result;
        for (int odd = 0; odd < 2; odd++) {
            double term = odd ? -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
                              : m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
            d = 1 + term * d;
            c = 1 + term / c;
            d = 1 / (fabs(d) < tiny ? tiny : d);
            c = fabs(c) < tiny ? tiny : c;
            result *= c * d;
        }
        if (fabs(result - before) <= enough * fabs(result))
            break;
    }
    return result;
}

/* The regularized incomplete beta function I_x(a, b). */
static double beta_share(double x, double a, double b)
{
    int sign;
    double scale = lgamma_r(a + b, &sign) - lgamma_r(a, &sign) - lgamma_r(b, &sign);
    if (x <= 0 || x >= 1)
        return x <= 0 ? 0 : 1;
    scale = exp(scale + a * log(x) + b * log1p(-x));
    /* The fraction converges fast on this side only (DLMF, 8.17.4 turns one into the other). */
    return x < (a + 1) / (a + b + 2) ? scale * beta_fraction(x, a, b) / a
                                     : 1 - scale * beta_fraction(1 - x, b, a) / b;
}

double student_quantile(double p, double freedom)
{
    enum { STEPS = 200 };
    /* P(|T| > t) = I_x(freedom / 2, 1 / 2) with x = freedom / (freedom + t * t). */
    double tails = 2 * (1 - p), low = 0, high = 1;
    for (int i = 0; i < STEPS; i++) {
        double x = (low + high) / 2;
        if (beta_share(x, freedom / 2, 0.5) < tails)
            low = x;
        else
            high = x;
    }
    return sqrt(freedom * (1 - high) / high);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void values_sort(double *values, size_t count)
{
    if (count > 0)
        qsort(values, count, sizeof(*values), by_value);
}

static double quantile_of_sorted(const double *sorted, size_t count, double p)
{
    double at = p * (double)(count - 1);
    size_t i = (size_t)at;
    double next = sorted[i + 1 < count ? i + 1 : i];
    return sorted[i] + (at - (double)i) * (next - sorted[i]);
}

size_t outliers_mark(const double *values, size_t count, bool *marks)
{
    static const double fence = 3, material = 0.1;
    size_t marked = 0;
    memset(marks, 0, count * sizeof(*marks));
    if (count < OUTLIER_RUNS_MIN)
        return 0;
    AUTO_FREE double *sorted = mem_copy(values, count * sizeof(*sorted));
    values_sort(sorted, count);
    double first = quantile_of_sorted(sorted, count, 0.25);
    double median = quantile_of_sorted(sorted, count, 0.5);
    double third = quantile_of_sorted(sorted, count, 0.75);
    for (size_t i = 0; i < count; i++) {
        bool beyond = values[i] < first - fence * (third - first) ||
                      values[i] > third + fence * (third - first);
        marks[i] = beyond && fabs(values[i] - median) > material * fabs(median);
        marked += marks[i];
    }
    return marked;
}

/* The variance of the mean. */
static double mean_variance(const struct summary *summary, bool whole)
{
    double variance = summary->deviation * summary->deviation;
    if (whole && variance < 1.0 / 12)
        variance = 1.0 / 12;
    if (variance < summary->least_variance)
        variance = summary->least_variance;
    return variance / summary->independent;
}

struct change change_between(const struct summary *a, const struct summary *b, bool whole,
                             double alpha)
{
    struct change change = {.ratio = NAN, .low = NAN, .high = NAN, .p = 1};
    if (!a->count || !b->count)
        return change;
    double first = a->mean, second = b->mean, va = mean_variance(a, whole);
    double vb = mean_variance(b, whole), both = va + vb;
    if (first != 0)
        change.ratio = second / first - 1;
    change.tested = a->independent >= 2 && b->independent >= 2;
    if (!change.tested)
        return change;
    if (!(both > 0)) {
        size_t fewer = a->count < b->count ? a->count : b->count;
        change.significant = first != second && fewer >= EXACT_RUNS_MIN;
        change.low = change.high = change.ratio;
        change.p = change.significant ? 0 : 1;
        return change;
    }
    double freedom =
        both * both / (va * va / (a->independent - 1) + vb * vb / (b->independent - 1));
    double t = student_quantile(1 - alpha / 2, freedom);
    double distance = (second - first) * (second - first) / both;
    change.significant = distance > t * t;
    change.p = beta_share(freedom / (freedom + distance), freedom / 2, 0.5);
    /* The ratios r for which second - r * first is not significantly different from 0. */
    double scale = first * first - t * t * va;
    double spread = t * sqrt(first * first * vb + second * second * va - t * t * va * vb);
    if (scale > 0) {
        change.low = (first * second - spread) / scale - 1;
        change.high = (first * second + spread) / scale - 1;
        if (a->min >= 0 && b->min >= 0 && change.low < -1)
            change.low = -1; /* values are never negative, so no ratio of means is */
    }
    return change;
}

double changes_alpha(double *p, size_t count, double rate)
{
    size_t found = 1;
    if (count == 0)
        return rate;
    values_sort(p, count);
    for (size_t k = count; k > 1 && found == 1; k--)
        if (p[k - 1] <= rate * (double)k / (double)count)
            found = k;
    return rate * (double)found / (double)count;
}
