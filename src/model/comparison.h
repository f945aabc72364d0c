/* What several runs of one command or of several measured: a value of each metric in each run, and
 * from these a summary of each command and its change against the first. */
#ifndef MODEL_COMPARISON_H
#define MODEL_COMPARISON_H

#include "base/statistics.h"

/* The confidence of all intervals together: in 1 of 100 comparisons of equal commands, some metric
 * is called different. */
#define COMPARISON_CONFIDENCE 0.99

/* How values are shown. */
enum comparison_kind { COMPARE_COUNT, COMPARE_SECONDS, COMPARE_PERCENT, COMPARE_NUMBER };

/* A metric of one command. */
struct compared {
    double *values; /* one for each run; NAN: no value */
    size_t room;
    double coverage; /* the smallest of all runs; below 1 values are estimates */
    struct summary summary;
    struct change change; /* against the first command; of the first itself: nothing */
};

struct comparison_metric {
    char *name;
    char unit[8]; /* "", or for people, as in struct unit */
    enum comparison_kind kind;
    struct compared *of; /* one for each command */
};

struct compared_command {
    char *text;
    size_t runs;
    bool *left_out; /* one for each run: an outlier; NULL before comparison_finish() */
    size_t outliers;
};

struct comparison {
    size_t count;
    struct compared_command *commands;
    size_t metric_count, metric_room;
    struct comparison_metric *metrics; /* the first is the one by which outliers are found */
    size_t warmups;                    /* runs of each command before, which were not measured */
    size_t tests;                      /* number of changes that were tested */
};

struct comparison *comparison_new(const char *const *commands, size_t count);
void comparison_free(struct comparison *comparison); /* NULL is fine */

/* Sets a metric's value in the command's next run, which comparison_end_run() ends; the metric is
 * added if it is new. unit: at most 7 bytes. */
void comparison_set(struct comparison *comparison, size_t command, const char *name,
                    enum comparison_kind kind, const char *unit, double value, double coverage);
void comparison_end_run(struct comparison *comparison, size_t command);

/* Leaves out runs whose first metric is an outlier (outliers_mark()), then computes summaries and
 * changes. The confidence is that of all tests together (C. E. Bonferroni, 1936: each gets its
 * share of the allowed error). */
void comparison_finish(struct comparison *comparison);

#endif
