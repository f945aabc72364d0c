/* What parse.c makes and eval.c runs: an expression in postfix order, for a stack of values. Flat
 * code has no depth that a hostile text could drive the evaluation into. For these two only. */
#ifndef METRIC_EXPR_H
#define METRIC_EXPR_H

#include <stddef.h>

enum {
    EXPR_STACK = 64,  /* most values waiting for an operator at a time */
    EXPR_EVENTS = 32, /* most different events */
};

enum op_kind {
    OP_NUMBER,
    OP_EVENT,
    OP_INTERVAL,
    OP_ONCPU,
    OP_NCPU,
    OP_NEGATE,
    OP_ADD,
    OP_SUBTRACT,
    OP_MULTIPLY,
    OP_DIVIDE,
};

struct op {
    enum op_kind kind;
    double number; /* of OP_NUMBER */
    size_t event;  /* of OP_EVENT: index into the expression's events */
};

/* Invariant: running the ops never takes from an empty stack, never holds more than EXPR_STACK
 * values, and leaves exactly one. */
struct expr {
    struct op *ops;
    size_t count, room;
    char *events[EXPR_EVENTS];
    size_t event_count;
};

#endif
