/* What some rows did in the last intervals: the same few values of each, and since a row was first
 * seen their least, mean and most. Memory has a bound: HISTORY_LENGTH intervals of HISTORY_ROWS
 * rows, 5 KiB for a row with ten values. A row that does nothing costs nothing, nor does one in
 * which an interval lasts: what it did not tell of is told by the row that is in no interval. */
#ifndef MODEL_HISTORY_H
#define MODEL_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Two minutes at the usual delay, and 60 cells of a terminal with two to a cell. More rows than are
 * ever on show, and as many as run at a time on all but the largest machines. */
enum { HISTORY_LENGTH = 120, HISTORY_ROWS = 512 };

struct history;

struct history *history_new(void);
void history_free(struct history *history); /* NULL is fine */

/* Forgets all. From now on a row has so many values; absent: what they are in an interval that the
 * row is not in, as when it sleeps. NAN is a value that is not known. */
void history_begin(struct history *history, size_t values, const double *absent);

/* Another interval, of so many seconds, whose rows follow. */
void history_interval(struct history *history, double seconds);

/* A row of that interval. Where there is no room those give way that were not in it, the longest
 * gone first; `keep` always has room. */
void history_take(struct history *history, uint64_t id, const double *values, bool keep);

struct series {
    size_t count;                 /* of the values, up to now; as many as there were intervals */
    float values[HISTORY_LENGTH]; /* the last one is the newest */
    bool known;                   /* any value was: the others mean something */
    double least, mean, most;     /* since it was first seen; the mean is weighted with time */
};

/* False where nothing is known of the row. */
bool history_series(const struct history *history, uint64_t id, size_t value,
                    struct series *series);
/* The same, but least, mean and most are those of the values alone, whatever was before. */
bool history_recent(const struct history *history, uint64_t id, size_t value,
                    struct series *series);

#endif
