/* How the machine went on: a history of some of its numbers by name, such as its metrics, which is
 * kept while screens and columns come and go. An interval in which a number was not
 * taken has no value. */
#ifndef VIEW_TREND_H
#define VIEW_TREND_H

#include "model/frame.h"
#include "model/history.h"

struct trend;

struct trend *trend_new(void);
void trend_free(struct trend *trend); /* NULL is fine */

/* Another interval, whose numbers follow. Where it is not later than the one before (another
 * recording, or a step back in one) all is forgotten. */
void trend_interval(struct trend *trend, const struct frame *frame);
/* One of its numbers; NAN: it has no value. */
void trend_take(struct trend *trend, const char *name, double number);

/* False if no number of that name was ever taken. */
bool trend_series(const struct trend *trend, const char *name, struct series *series);

/* The least and the most of the last `count` values; false where none of them is known. */
bool trend_range(const struct series *series, size_t count, double *least, double *most);

#endif
