/* The value of an expression for one row of a frame. */
#ifndef METRIC_EVAL_H
#define METRIC_EVAL_H

#include "metric/parse.h"
#include "model/frame.h"

/* From good to bad: a value is in the worst state of what it is made of. */
enum value_state {
    VALUE_COUNTED,
    VALUE_SCALED,    /* an event in it was multiplexed, or those of a ratio or comparison are in
                        different groups */
    VALUE_UNDEFINED, /* division by zero */
    VALUE_MISSING,   /* an event in it is not counted */
};

struct value {
    double number; /* meaningful in the first two states */
    enum value_state state;
    double coverage; /* the least of its events' coverage, 0 to 1 */
    bool apart;      /* it sets counts of different groups against each other */
};

/* Variables: `interval` (seconds), `oncpu` (seconds), `ncpu` (CPUs counted; missing where the
 * source does not know CPUs), `ghz_nominal` (the clock the processor is sold with; missing where
 * that is not known). Of if() only the condition and what it chooses need a value. Events not in
 * the frame's set are missing; they are found under their aliases too (metric/alias.h). A row that
 * could not be counted has no value. */
struct value eval_row(const struct expr *expr, const struct frame *frame, const struct row *row);

/* The count of one event as a value. */
struct value eval_event(const struct frame *frame, const struct row *row, size_t event);

/* The same in two steps, for many rows: where the events of an expression stand in a set, looked up
 * once; then the value for a row of a frame with that set. */
struct binding {
    int index[32]; /* for each event of the expression its index in the set, -1: not there */
};

void eval_bind(struct binding *binding, const struct expr *expr, const struct event_set *set);
struct value eval_bound(const struct expr *expr, const struct binding *binding,
                        const struct frame *frame, const struct row *row);

#endif
