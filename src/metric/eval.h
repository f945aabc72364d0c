/* Expressions: numbers, event names, variables, + - * / unary minus, parentheses, one comparison
 * (< <= > >= == !=: 1 if it holds, else 0), and the functions abs(x), min(x, y ...), max(x, y ...),
 * d_ratio(x, y), which is x / y, or 0 if y is 0 (perf's), if(condition, x, y) and delta(x), which
 * is x, since all counts are the interval's. Names consist of letters, digits and _ . : - (a '-'
 * between two letters or digits belongs to the name: `branch-misses`); other names are in single
 * quotes: 'cpu/event=0xc0/'. Subtraction of names needs spaces. Variables are `interval`, `oncpu`,
 * `ncpu`, `ghz_nominal`, `slots_per_cycle`, lengths of spans (`wait_p50`, `wakeup_p95`,
 * `slice_p99`, `sleep_max` and so on, in seconds) and those of system/kernel_times.h (eval_row());
 * in quotes they are events. Seconds cannot be added to counts or compared with them. */
#pragma once

#include "model/frame.h"

/* An expression in postfix order, run on a stack of values. It is flat, so a hostile text cannot
 * cause deep recursion. */

enum {
    EXPR_STACK = 64,  /* depth of the stack */
    EXPR_EVENTS = 32, /* different events */
};

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
    size_t own_ops, own_events; /* those of its text: expr_balance() adds others */
    /* The power of seconds of its value: 0 for counts and ratios, 1 for seconds, -1 for rates.
     * Clocks (cpu-clock, task-clock) are counts. */
    int time;
    bool any_time;                       /* made of numbers only, which fit any power */
    double ghz_nominal, slots_per_cycle; /* of the processor, set by the owner; 0: not known */
};

/* NULL with a message that has the column (from 1) of the mistake. */
struct expr *expr_parse(const char *text, struct err *err);
void expr_free(struct expr *expr); /* NULL is fine */

/* The names of its events, each once. */
size_t expr_event_count(const struct expr *expr);
const char *expr_event(const struct expr *expr, size_t i);

/* Whether it is a rate over the interval: its power of seconds is -1 because of the variable
 * `interval`, so multiplied with the interval it is an amount. */
bool expr_per_interval(const struct expr *expr);

/* Whether it has such a variable: OP_CPU_KERNEL_TIME is of rows of CPUs alone. */
bool expr_uses(const struct expr *expr, enum op_kind kind);

/* For metrics that are the parts of a whole, in %: from now on the value of `expr` is an estimate
 * (VALUE_SCALED) in rows where it and the others do not add up to 98 to 102; a row in which one of
 * the others has no value is not judged. expr_event() does not list the others' events. Does
 * nothing if the expression would become too long. */
void expr_balance(struct expr *expr, struct expr *const *others, size_t count);

/* ---- the value of an expression for one row of a frame ---- */

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
 * pipeline); both are missing if not known; `wait_p50`, `slice_max` and so on; and what the kernel
 * keeps of a CPU or a cgroup, in seconds (system/kernel_times.h): missing in other rows. In if()
 * only the condition and the chosen operand need a value. Events are found by their aliases too
 * (metric/alias.h), and one of several PMUs is the sum over those that count for the row; those not
 * in the frame's set are missing. A row that could not be counted has no value. */
struct value eval_row(const struct expr *expr, const struct frame *frame, const struct row *row);

/* The count of one event as a value. */
struct value eval_event(const struct frame *frame, const struct row *row, size_t event);

/* The same in two steps, for many rows: look up the events of an expression in a set once; then get
 * the value for each row of a frame with that set. */
struct binding {
    int index[EXPR_EVENTS]; /* for each event of the expression its index in the set, -1: missing */
    bool parts[EXPR_EVENTS]; /* it stands for the events of several PMUs, that of index is the first
                              */
};

void eval_bind(struct binding *binding, const struct expr *expr, const struct event_set *set);
struct value eval_bound(const struct expr *expr, const struct binding *binding,
                        const struct frame *frame, const struct row *row);
