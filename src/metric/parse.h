/* Expressions: numbers, event names, variables, + - * / unary minus, parentheses. Names are
 * letters, digits and _ . : - (a '-' between two letters or digits belongs to the name:
 * `branch-misses`); anything else goes in single quotes: 'cpu/event=0xc0/'. Subtraction of names
 * needs spaces. Variables are `interval`, `oncpu` and `ncpu` (metric/eval.h); in quotes they are
 * events. */
#ifndef METRIC_PARSE_H
#define METRIC_PARSE_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct expr;

/* NULL with a message that names the column (from 1) of the mistake. */
struct expr *expr_parse(const char *text, struct err *err);
void expr_free(struct expr *expr); /* NULL is fine */

/* The names of events in it, each once. */
size_t expr_event_count(const struct expr *expr);
const char *expr_event(const struct expr *expr, size_t i);

#endif
