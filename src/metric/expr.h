/* An expression in postfix order, made by parse.c and run by eval.c on a stack of values. It is
 * flat, so a hostile text cannot cause deep recursion. For these two files only. */
#ifndef METRIC_EXPR_H
#define METRIC_EXPR_H

#include <stdbool.h>
#include <stddef.h>

enum {
    EXPR_STACK = 64,  /* depth of the stack */
    EXPR_EVENTS = 32, /* different events */
};

/* What is said of a row's spans: half, 95 % and 99 % of them are not longer, and the longest. */
enum span_figure { SPAN_P50, SPAN_P95, SPAN_P99, SPAN_MAX, SPAN_FIGURES };

enum op_kind {
    OP_NUMBER,
    OP_EVENT,
    OP_INTERVAL,
    OP_ONCPU,
    OP_NCPU,
    OP_GHZ_NOMINAL,
    OP_SLOTS_PER_CYCLE,
    OP_CPU_KERNEL_TIME,
    OP_CGROUP_KERNEL_TIME,
    OP_SPAN,   /* a figure of spans, which is known where an event is counted */
    OP_NEGATE, /* from here on: one operand */
    OP_ABS,
    OP_ADD, /* two operands */
    OP_SUBTRACT,
    OP_MULTIPLY,
    OP_DIVIDE,
    OP_D_RATIO, /* a division that gives 0 for a divisor of 0 */
    OP_MIN,
    OP_MAX,
    OP_LESS,
    OP_LESS_EQUAL,
    OP_GREATER,
    OP_GREATER_EQUAL,
    OP_EQUAL,
    OP_NOT_EQUAL,
    OP_PART, /* the first operand; the second is what all parts add up to, in % */
    OP_IF,   /* three operands: condition, then, else */
};

struct op {
    enum op_kind kind;
    double number; /* of OP_NUMBER; of OP_SPAN: kind * SPAN_FIGURES + figure */
    /* Of OP_EVENT and OP_SPAN: index into the expression's events; of OP_..._KERNEL_TIME: the
     * time's number. */
    size_t event;
};

/* Invariant: running the ops never takes from an empty stack, never holds more than EXPR_STACK
 * values, and leaves exactly one. */
struct expr {
    struct op *ops;
    size_t count, room;
    char *events[EXPR_EVENTS];
    size_t event_count;
    size_t own_ops, own_events;          /* those of its text: expr_balance() adds others */
    int time;                            /* power of seconds of the result */
    bool any_time;                       /* made of numbers only: `time` can be anything */
    double ghz_nominal, slots_per_cycle; /* 0: not known */
};

#endif
