/* Conditions on columns that say which rows are shown: `ipc < 0.5`, `cpu > 10 and user = root`,
 * `not (pid = 1 or "kworker")`.
 *
 *   CONDITION  one or more comparisons with `and`, `or`, `not` and parentheses; `and` binds closer
 *   comparison NAME SIGN VALUE, or a text in quotes, which must be in the row as for a filter with
 *              plain text
 *   NAME       of a builtin column, a metric or a counted event, shown or not, or the title of a
 *              column (view/column.h), also in quotes; `cpu` is the metric cpu_pct, the number
 *              of the CPU is `processor`
 *   SIGN       = == != < <= > >=, and ~ for "contains"; for texts only = == != ~, ignoring case
 *   VALUE      a number in the column's unit, optionally with k M G T P or %; a word, or a text in
 *              quotes
 *
 * Numbers are compared in the amount shown, without the rounding of cells; = and != compare as many
 * decimals as a metric shows. A comparison with a cell without a value is neither true nor false,
 * also when negated by != or `not`. Rows are shown if the condition is true. `command` is the name,
 * with ~ also the command line. A value of a column in a unit of time may have another one: 20ms.
 *
 * A condition of --when is one of rows, or of the machine:
 *
 *   CONDITION               true while it is true for a row, one and the same
 *   any CONDITION           ... while it is true for some row
 *   machine: CONDITION      NAMEs are metrics, events, `busy` (the share of its CPUs, 0 to 1), and
 *                           pressure_cpu, pressure_memory, pressure_memory_full, pressure_io and
 *                           pressure_io_full (%); any(CONDITION) and count(CONDITION) SIGN NUMBER
 *                           are about rows
 *   count(CONDITION) ...    as machine: count(CONDITION) ...
 *
 * and behind it `for 3s`, in ns, us, ms, s, min or h: it must be true for so long. */
#pragma once

#include "view/column.h"

/* Whether text is a condition, otherwise it is plain text. A condition begins, after `not` and
 * parentheses, with a text in quotes, or with a name and a sign; but `name=value` without blanks is
 * plain text if there is no such name. */
bool condition_is(const char *text, const struct column_name_scope *names);

/* NULL with a message that gives the column (from 1) of the mistake. *incomplete: more text may
 * complete the condition. Metrics with events that are known not to be counted are mistakes. */
struct condition *condition_parse(const char *text, const struct column_name_scope *names,
                                  bool *incomplete, struct err *err);
/* The same for a condition of --when. */
struct condition *condition_parse_when(const char *text, const struct column_name_scope *names,
                                       struct err *err);
void condition_free(struct condition *condition); /* NULL is fine */

struct condition_when {
    bool machine;   /* it has no row */
    bool any;       /* it need not be the same row */
    double seconds; /* how long it must be true */
};
struct condition_when condition_when(const struct condition *condition);

/* Call after a change of the metrics or of the events: names that no longer exist have no value. */
void condition_bind(struct condition *condition, const struct column_name_scope *names);

/* Whether a row of the current view contains a text, ignoring case: tasks in their name or command
 * line, rows that add up processes in their name. */
bool condition_contains(const struct view_context *context, const struct row *row,
                        const char *text);

/* row: NULL for a condition of the machine. */
bool condition_holds(const struct condition *condition, const struct view_context *context,
                     const struct row *row);

/* The name and value of the first number that it compares and that is measured, for a row or the
 * machine; NULL: there is none, or it has no value. */
const char *condition_number(const struct condition *condition, const struct view_context *context,
                             const struct row *row, double *number);
