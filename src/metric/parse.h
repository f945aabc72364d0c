/* Expressions: numbers, event names, variables, + - * / unary minus, parentheses, one comparison
 * (< <= > >= == !=: 1 if it holds, else 0), and the functions abs(x), min(x, y ...), max(x, y ...),
 * d_ratio(x, y), which is x / y, or 0 if y is 0 (perf's),
 * if(condition, x, y) and delta(x), which is x, since all counts are the interval's. Names consist
 * of letters, digits and _ . : - (a '-' between two letters or digits belongs to the name:
 * `branch-misses`); other names are in single quotes: 'cpu/event=0xc0/'. Subtraction of names needs
 * spaces. Variables are `interval`, `oncpu`, `ncpu`, `ghz_nominal`, `slots_per_cycle`, lengths of
 * spans (metric/expr.h: `wait_p50`, `wakeup_p95`, `slice_p99`, `sleep_max` and so on, in seconds)
 * and those of system/kernel_times.h (metric/eval.h); in quotes they are events. Seconds cannot be
 * added to counts or compared with them. */
#ifndef METRIC_PARSE_H
#define METRIC_PARSE_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct expr;

/* NULL with a message that has the column (from 1) of the mistake. */
struct expr *expr_parse(const char *text, struct err *err);
void expr_free(struct expr *expr); /* NULL is fine */

/* The names of its events, each once. */
size_t expr_event_count(const struct expr *expr);
const char *expr_event(const struct expr *expr, size_t i);

/* The power of seconds of its value: 0 for counts and ratios, 1 for seconds, -1 for rates. Clocks
 * (cpu-clock, task-clock) are counts. False for numbers alone, which fit any. */
bool expr_time(const struct expr *expr, int *time);

/* Whether it is a rate over the interval: its power of seconds is -1 because of the variable
 * `interval`, so multiplied with the interval it is an amount. */
bool expr_per_interval(const struct expr *expr);

/* Whether it has the variable `oncpu`. */
bool expr_uses_oncpu(const struct expr *expr);
/* Whether it has one of those that only CPUs have, or only cgroups. */
bool expr_of_cpus(const struct expr *expr);
bool expr_of_cgroups(const struct expr *expr);

/* Of the parts of a whole, in %: from now on its value is an estimate where it and the others do
 * not add up to 98 to 102. Where one of the others has no value, nothing is said. Its events stay
 * its own. Does nothing if that would be more than an expression can have. */
void expr_balance(struct expr *expr, struct expr *const *others, size_t count);

/* Sets what its variables say of the processor; 0: not known. */
void expr_set_machine(struct expr *expr, double ghz_nominal, double slots_per_cycle);

#endif
