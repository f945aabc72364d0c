/* Which columns are shown: those of a screen, and of the events that none of them uses. */
#ifndef VIEW_COLUMN_SET_H
#define VIEW_COLUMN_SET_H

#include "view/column.h"
#include "view/screen.h"

struct column_list {
    struct column *columns;
    size_t count, room;
};

void column_list_init(struct column_list *list);
void column_list_release(struct column_list *list);
const struct column *column_list_find(const struct column_list *list, const char *name);

/* Replaces the list. screen NULL: pid and command; set NULL: events are not known yet.
 * In the threads view `tid` follows `pid`; in the CPUs view `cpu` leads and what belongs to tasks
 * is left out, in those of users, commands and cgroups likewise behind the number of processes;
 * what names the rows is last; before it is `run_pct` where hardware events take turns. */
void column_list_choose(struct column_list *list, const struct screen *screen,
                        const struct metric_set *metric_set, const struct event_set *set,
                        const struct view_settings *settings);

/* Whether every column of the screen is a fact, a metric or one of the events it counts. */
int column_check_screen(const struct screen *screen, const struct metric_set *metric_set,
                        struct err *err);

/* ---- what people mean by a word where a column is asked for ---- */

/* What a word may be the name of. */
struct column_name_scope {
    const struct metric_set *metric_set; /* NULL: no metrics */
    const struct event_set *events;      /* that are counted; NULL: not known yet */
    const struct column_list *columns;   /* shown; NULL: none */
};

/* The name, as column_init() takes it, of the fact, metric or counted event that is called so, or
 * whose title that is, first of the columns shown; upper and lower case where nothing is called
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
