/* Conditions on columns that say which rows are shown: `ipc < 0.5`, `cpu > 10 and user = web`,
 * `not (pid = 1 or "kworker")`.
 *
 *   CONDITION  one or more comparisons with `and`, `or`, `not` and parentheses; `and` binds closer
 *   comparison NAME SIGN VALUE, or a text in quotes, which must be in the row as for a filter with
 *              plain text
 *   NAME       of a builtin column, a metric or a counted event, shown or not, or the title of a
 *              column (view/column_set.h), also in quotes; `cpu` is the metric cpu_pct, the number
 *              of the CPU is `processor`
 *   SIGN       = == != < <= > >=, and ~ for "contains"; for texts only = == != ~, ignoring case
 *   VALUE      a number in the column's unit, optionally with k M G T P or %; a word, or a text in
 *              quotes
 *
 * Numbers are compared in the amount shown, without the rounding of cells; = and != compare as many
 * decimals as a metric shows. A comparison with a cell without a value is neither true nor false,
 * also when negated by != or `not`. Rows are shown if the condition is true. `command` is the name,
 * with ~ also the command line. */
#ifndef VIEW_CONDITION_H
#define VIEW_CONDITION_H

#include "view/column_set.h"

struct condition;

/* Whether text is a condition, otherwise it is plain text. A condition begins, after `not` and
 * parentheses, with a text in quotes, or with a name and a sign; but `name=value` without blanks is
 * plain text if there is no such name. */
bool condition_is(const char *text, const struct column_name_scope *names);

/* NULL with a message that gives the column (from 1) of the mistake. *incomplete: more text may
 * complete the condition. A metric that needs events that are not counted is a mistake, too, if the
 * events are known. */
struct condition *condition_parse(const char *text, const struct column_name_scope *names,
                                  bool *incomplete, struct err *err);
void condition_free(struct condition *condition); /* NULL is fine */

/* Call after a change of the metrics or of the events: names that no longer exist have no value. */
void condition_bind(struct condition *condition, const struct column_name_scope *names);

/* Whether a row of the current view contains a text, ignoring case: tasks in their name or command
 * line, rows that add up processes in their name. */
bool condition_contains(const struct view_context *context, const struct row *row,
                        const char *text);

bool condition_holds(const struct condition *condition, const struct view_context *context,
                     const struct row *row);

#endif
