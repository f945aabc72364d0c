/* What people mean by a word where a column is asked for. */
#ifndef VIEW_COLUMN_NAME_H
#define VIEW_COLUMN_NAME_H

#include "view/column_set.h"

/* What a word may be the name of. */
struct column_name_scope {
    const struct metric_set *metric_set; /* NULL: no metrics */
    const struct event_set *events;      /* that are counted; NULL: not known yet */
    const struct column_list *columns;   /* on show; NULL: none */
};

/* The name, as column_init() takes it, of the fact, metric or counted event that is called so, or
 * whose title that is, first of the columns on show; upper and lower case where nothing is called
 * so exactly. `cpu` is the metric cpu_pct, if there is one, and `processor` the number of the CPU.
 * NULL: nothing. */
const char *column_name_find(const struct column_name_scope *scope, const char *word);

/* The same without what people mean: only what is called so, `cpu` the number of the CPU. */
const char *column_name_exact(const struct column_name_scope *scope, const char *name);

/* The i-th name there is, NULL after the last: candidates for str_nearest(). */
const char *column_name_at(void *scope, size_t i);

/* The same with all there is to say of it, for a view of that kind; false after the last. */
bool column_name_entry(const struct column_name_scope *scope, size_t i, enum view_kind kind,
                       struct view_candidate *entry);

#endif
