/* What several runs of commands measured, or the intervals of recordings: a value of each metric in
 * each of them, and from these a summary of each side (command or recording) and its change against
 * the first. */
#pragma once

#include "base/statistics.h"

/* The confidence of all intervals together: in 1 of 100 comparisons of equal commands, some metric
 * is called different. */
#define COMPARISON_CONFIDENCE 0.99

/* How values are shown. */
enum comparison_kind {
    COMPARE_COUNT, /* whole numbers */
    COMPARE_RATE,  /* counts a second */
    COMPARE_SECONDS,
    COMPARE_PERCENT,
    COMPARE_NUMBER,
};

/* A metric of one side. */
struct compared {
    double *values; /* one for each run; NAN: no value; NULL: of intervals */
    size_t room;
    struct time_series series; /* of intervals */
    double coverage;           /* the smallest of all values; below 1 they are estimates */
    bool undefined; /* what a ratio needs was counted at least once, but it had no value */
    struct summary summary;
    struct change change; /* against the first side; of the first itself: nothing */
};

struct comparison_metric {
    char *name;
    char unit[16]; /* "", or for people, as in struct unit */
    enum comparison_kind kind;
    struct compared *of; /* one for each side */
};

/* What has metrics of its own: everything together, in recordings the processes of one name, or a
 * function. */
struct comparison_subject {
    char *name;   /* NULL: everything together; of a function: comparison_finish() drops it */
    char *object; /* functions: where it is; NULL */
    size_t metric_count, metric_room;
    struct comparison_metric *metrics; /* the first is the one by which outliers are found */
    size_t next;                       /* the one that is probably set next */
    size_t *ran;                       /* recordings: intervals of each side in which it ran */
};

struct comparison_side {
    char *text;     /* the command, or the recording's file */
    size_t runs;    /* or intervals */
    double seconds; /* recordings: of all intervals */
    bool *left_out; /* one for each run: an outlier; NULL before comparison_finish(), or none */
    size_t outliers;
};

struct comparison {
    bool recordings; /* sides are recordings, values those of their intervals */
    bool functions;  /* subjects are functions: those of a run (of recordings a block of */
                     /* intervals) without samples have 0. Set before the first value */
    double sampled; /* functions: the variance of a value by the chance of sampling, as a part of */
                    /* the value */
    double alpha;   /* functions: with which each change was tested */
    bool differs;   /* functions: all of them together, so that no share is tested */
    size_t count;
    struct comparison_side *sides;
    size_t subject_count, subject_room;
    struct comparison_subject *subjects; /* the first is everything together */
    size_t warmups;                      /* runs of each command before, which were not measured */
    size_t tests;                        /* number of changes that were tested */
};

/* sides: their texts; NULL: it is not written. */
struct comparison *comparison_new(const char *const *sides, size_t count, bool recordings);
void comparison_free(struct comparison *comparison); /* NULL is fine */

/* Returns its index. */
size_t comparison_add_subject(struct comparison *comparison, const char *name);

/* Sets a metric's value in the side's next run or interval, which comparison_end_run() ends; the
 * metric is added if it is new. unit: at most 15 bytes. A value that is NAN is undefined if it has
 * a coverage, else missing. */
void comparison_set(struct comparison *comparison, size_t subject, size_t side, const char *name,
                    enum comparison_kind kind, const char *unit, double value, double coverage);
/* The same, but adds to the value that was set in this run. */
void comparison_add(struct comparison *comparison, size_t subject, size_t side, const char *name,
                    enum comparison_kind kind, const char *unit, double value);
void comparison_end_run(struct comparison *comparison, size_t side);
/* Multiplies what was set in the side's run that has not ended. */
void comparison_scale_run(struct comparison *comparison, size_t side, double factor);

/* Gives a side of a subject the values that `from` has of that side, of everything together. Only
 * of recordings. */
void comparison_copy(struct comparison *comparison, size_t subject, size_t side,
                     const struct comparison *from);

/* The metric that functions have, of all of them together; NULL: nothing was set. */
const struct comparison_metric *comparison_all(const struct comparison *comparison);

/* Leaves out runs whose first metric is an outlier (outliers_mark()), then computes summaries and
 * changes. No interval is left out: a recording has phases. The confidence is that of all tests
 * together (C. E. Bonferroni, 1936: each gets its share of the allowed error). Of functions it is
 * that of those which are found to differ (changes_alpha()). They get a second metric, "share", in
 * percent of a run: a machine that is slower in one run than in another hardly changes it. It is
 * tested, too, unless all functions together differ: one that grows then takes from the shares of
 * all others. What differs comes first, by how much it takes more or less, then what has another
 * share, then the others by what they take. */
void comparison_finish(struct comparison *comparison);
