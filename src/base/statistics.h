/* Statistics of repeated measurements: summaries, outliers, and the change between two samples with
 * its confidence interval. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct summary {
    size_t count; /* 0: the rest has no meaning */
    double mean, min, max;
    double deviation; /* standard deviation of the sample, with n - 1; 0 for one value */
    /* The number of independent values whose mean is as certain as that of these: `count` for runs,
     * less for values that follow each other in time and resemble their neighbours. */
    double independent;
    /* The variance of the values is at least this: of sampled time a part is chance, which few
     * values may not show. 0: nothing is known. */
    double least_variance;
};

/* The summary of independent values; NAN is skipped. */
struct summary summary_of(const double *values, size_t count);

/* Values that follow each other in time, which are not kept. Zeroed: none. */
struct time_series {
    size_t count;
    double first, last, mean, min, max;
    double squares;  /* sum of squared distances from the mean */
    double products; /* sum of products of neighbours' distances from the first value */
};

void time_series_add(struct time_series *series, double value); /* NAN is skipped */

/* independent: count * (1 - r) / (1 + r), where r is the correlation of neighbours, if that is
 * positive (G. V. Bayley and J. M. Hammersley, Suppl. J. R. Stat. Soc. 8, 1946, p. 184). The
 * estimate of r from a sample is too low by (1 + 4 r) / count, which is added (M. G. Kendall,
 * Biometrika 41, 1954, p. 403). At least 1. */
struct summary time_series_summary(const struct time_series *series);

/* The quantile of Student's t distribution: P(T <= result) = p, for p from 0.5 to below 1 and
 * degrees of freedom from 1. By the incomplete beta function (NIST DLMF, 8.17.22). */
double student_quantile(double p, double freedom);

void values_sort(double *values, size_t count); /* ascending */

/* Marks outliers: values more than three interquartile ranges below the first or above the third
 * quartile (the outer fences of Tukey, Exploratory Data Analysis, 1977, section 2D), if they are
 * also a tenth of the median away from it, and there are at least OUTLIER_RUNS_MIN values. Returns
 * their number. */
enum { OUTLIER_RUNS_MIN = 8 };
size_t outliers_mark(const double *values, size_t count, bool *marks);

struct change {
    bool tested;      /* both sides have two independent values; else only `ratio` is meaningful */
    bool significant; /* the means differ */
    double ratio;     /* mean of b / mean of a - 1; NAN where the mean of a is 0 */
    double low, high; /* its confidence interval; NAN if a may be 0 or it was not tested */
    double p;         /* the smallest alpha with which it is significant; 1 if it was not tested */
};

/* The change from a to b, at a significance of alpha, by the t-test for unequal variances (B. L.
 * Welch, Biometrika 34, 1947, p. 28; degrees of freedom after F. E. Satterthwaite, Biometrics
 * Bulletin 2, 1946, p. 110): runs of two commands differ in their spread, too, and means of many
 * are nearly normal whatever a single run is. The interval of the ratio is that of E. C. Fieller
 * (J. R. Stat. Soc. B 16, 1954, p. 175) with the same quantile, so that it excludes 0 exactly where
 * the test says that the means differ. whole: values are whole numbers. A whole number hides a
 * deviation below that of rounding, 1 / sqrt(12), so no smaller one is used: counts that are 3 in
 * two runs and 4 in two others prove nothing. Other values without any deviation differ only if
 * there are EXACT_RUNS_MIN on both sides. */
enum { EXACT_RUNS_MIN = 5 };
struct change change_between(const struct summary *a, const struct summary *b, bool whole,
                             double alpha);

/* The alpha with which each of `count` changes is to be tested so that of those which are then
 * significant a part of `rate` is by chance, on average (Y. Benjamini and Y. Hochberg, J. R. Stat.
 * Soc. B 57, 1995, p. 289): k / count * rate, where k is the largest number for which the k-th
 * smallest p is not above it; k = 1 if there is none. Where nothing differs, some change is
 * significant with a probability of `rate`. Intervals with that alpha contain the truth of all but
 * that part of those changes (Y. Benjamini and D. Yekutieli, J. Am. Stat. Assoc. 100, 2005, p. 71).
 * Sorts the values of p. */
double changes_alpha(double *p, size_t count, double rate);
