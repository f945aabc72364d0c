/* Series of rows: a few values of each row in the last intervals, with their minimum, mean and
 * maximum since the row was first seen. Memory is bounded by HISTORY_LENGTH intervals of
 * HISTORY_ROWS rows, 12 KiB for a row with ten values, less for one that was in few. Idle rows cost
 * nothing: gaps are filled with `absent` when a series is read. Of a row that has ended nothing is
 * known from then on: its mean is that of its life. */
#pragma once

#include "base/base.h"

/* Five minutes at the default delay. More rows than a terminal shows, and as many as run at a time
 * except on the largest machines. */
enum { HISTORY_LENGTH = 300, HISTORY_ROWS = 512 };

struct history *history_new(void);
void history_free(struct history *history); /* NULL is fine */
/* held: freezes what readers see, whatever is added, until history_hold(history, false) or the next
 * history_begin(). */
void history_hold(struct history *history, bool held);

/* Drops everything and sets the number of values per row. absent: their values in an interval
 * without the row, for example when it sleeps. NAN: not known. */
void history_begin(struct history *history, size_t values, const double *absent);

/* Begins the next interval, of that many seconds, which ended at that time (seconds since 1970);
 * its rows follow. */
void history_interval(struct history *history, double seconds, double end);

/* Adds a row's values in the current interval. scaled: which of them are estimates; NULL: none is.
 * If there is no room, drops rows that are not in this interval, the longest absent first, or
 * leaves the row out; a row with `keep` is never left out. */
void history_take(struct history *history, uint64_t id, const double *values, const bool *scaled,
                  bool keep);

/* Notes that the row has ended in the current interval, whether or not it was added. */
void history_end(struct history *history, uint64_t id);

/* Walks over all rows in no order: start with *at = 0; false at the end. */
bool history_next(const struct history *history, size_t *at, uint64_t *id);

struct series {
    size_t count;                 /* of the values, at most HISTORY_LENGTH */
    float values[HISTORY_LENGTH]; /* the newest last */
    bool scaled[HISTORY_LENGTH];  /* which of them are estimates */
    bool known;                   /* any value is known, so the next three are valid */
    double least, mean, most;     /* since it was first seen; the mean is weighted by time */
};
/* False for an unknown row. */
bool history_series(const struct history *history, uint64_t id, size_t value,
                    struct series *series);
/* As history_series(), but least, mean and most are of the kept intervals only. */
bool history_recent(const struct history *history, uint64_t id, size_t value,
                    struct series *series);
/* The largest number of one of the values in the last `count` intervals, over all rows but
 * `except`; 0 if none is known or above 0. */
double history_most(const struct history *history, size_t value, size_t count, uint64_t except);
/* The length, seconds, of the last `count` intervals, or of as many as are kept. */
double history_seconds(const struct history *history, size_t count);

/* When the intervals of all series ended (seconds since 1970) and how long they were, newest last.
 */
struct intervals {
    size_t count; /* at least as many as there are values */
    double ends[HISTORY_LENGTH], seconds[HISTORY_LENGTH];
};
void history_intervals(const struct history *history, struct intervals *intervals);
