/* Histories of the machine's numbers by name, such as its metrics, which are kept when screens and
 * columns change. An interval in which a number was not recorded has no value. */
#ifndef VIEW_TREND_H
#define VIEW_TREND_H

#include "model/frame.h"
#include "model/history.h"

struct trend;

struct trend *trend_new(void);
void trend_free(struct trend *trend); /* NULL is fine */

/* Begins an interval, whose numbers follow. If it is not later than the one before (another
 * recording, or a step back in one), all histories are dropped. */
void trend_interval(struct trend *trend, const struct frame *frame);
/* held: readers see the histories as they are now, until trend_hold(trend, false). */
void trend_hold(struct trend *trend, bool held);
/* Records a number; NAN: it has no value. scaled: it is an estimate. */
void trend_take(struct trend *trend, const char *name, double number, bool scaled);

/* False if the name was never recorded. */
bool trend_series(const struct trend *trend, const char *name, struct series *series);

/* When the values of all series were. */
void trend_intervals(const struct trend *trend, struct intervals *intervals);

/* The minimum and maximum of the last `count` values; false if none is known. */
bool trend_range(const struct series *series, size_t count, double *least, double *most);

#endif
