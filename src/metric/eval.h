/* The value of an expression for one row of a frame. */
#ifndef METRIC_EVAL_H
#define METRIC_EVAL_H

#include "metric/parse.h"
#include "model/frame.h"

/* From good to bad: a value has the worst state of its parts. */
enum value_state {
    VALUE_COUNTED,
    VALUE_SCALED, /* an event in it was multiplexed, or a ratio or comparison is between events of
                     different groups */
    VALUE_UNDEFINED, /* division by zero */
    VALUE_MISSING,   /* an event in it is not counted */
};

struct value {
    double number; /* meaningful in the first two states */
    enum value_state state;
    double coverage; /* the lowest coverage of its events, 0 to 1 */
    bool apart;      /* it relates counts of different groups */
};

/* Variables: `interval` (seconds), `oncpu` (seconds), `ncpu` (CPUs counted; missing if the source
 * does not count CPUs), `ghz_nominal` (the processor's nominal clock), `slots_per_cycle` (of its
 * pipeline); both are missing if not known; `wait_p50`, `slice_max` and so on (metric/expr.h); and
 * what the kernel keeps of a CPU or a cgroup, in seconds (system/kernel_times.h): missing in other
 * rows. In if() only the condition and the chosen operand need a value. Events are found by their
 * aliases too (metric/alias.h), and one of several PMUs is the sum over those that count for the
 * row; those not in the frame's set are missing. A row that could not be counted has no value. */
struct value eval_row(const struct expr *expr, const struct frame *frame, const struct row *row);

/* The count of one event as a value. */
struct value eval_event(const struct frame *frame, const struct row *row, size_t event);

/* The same in two steps, for many rows: look up the events of an expression in a set once; then get
 * the value for each row of a frame with that set. */
struct binding {
    int index[32];  /* for each event of the expression its index in the set, -1: missing */
    bool parts[32]; /* it stands for the events of several PMUs, that of index is the first */
};

void eval_bind(struct binding *binding, const struct expr *expr, const struct event_set *set);
struct value eval_bound(const struct expr *expr, const struct binding *binding,
                        const struct frame *frame, const struct row *row);

#endif
