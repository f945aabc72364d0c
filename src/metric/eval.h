/* The value of an expression for one row of a frame. */
#ifndef METRIC_EVAL_H
#define METRIC_EVAL_H

#include "metric/parse.h"
#include "model/frame.h"

enum value_state {
    VALUE_COUNTED,
    VALUE_SCALED,    /* an event in it was multiplexed, or a ratio's events are in different groups */
    VALUE_UNDEFINED, /* division by zero */
    VALUE_MISSING,   /* an event in it is not counted */
};

struct value {
    double number; /* meaningful in the first two states */
    enum value_state state;
    double coverage; /* the least of its events' coverage, 0 to 1 */
};

/* Variables: `interval` (seconds), `oncpu` (seconds), `ncpu` (CPUs counted). Events not in the
 * frame's set are missing. */
struct value eval_row(const struct expr *expr, const struct frame *frame, const struct row *row);

/* The count of one event as a value. */
struct value eval_event(const struct frame *frame, const struct row *row, size_t event);

#endif
