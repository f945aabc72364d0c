/* Chooses the columns: those of a screen, and of events that no column of it uses. */
#ifndef VIEW_COLUMN_SET_H
#define VIEW_COLUMN_SET_H

#include "view/column.h"
#include "view/screen.h"

struct column_list { /* {0} is an empty list */
    struct column *columns;
    size_t count, room;
};

void column_list_release(struct column_list *list);
const struct column *column_list_find(const struct column_list *list, const char *name);

/* Replaces the list by the columns that view_columns() describes. screen NULL: pid and command; set
 * NULL: events are not known yet. */
void column_list_choose(struct column_list *list, const struct screen *screen,
                        const struct metric_set *metric_set, const struct event_set *set,
                        const struct view_settings *settings);

/* Whether every column of the screen is builtin, a metric, or one of its events. */
int column_check_screen(const struct screen *screen, const struct metric_set *metric_set,
                        struct err *err);

/* ---- Names of columns as typed by users ---- */

/* The names that a word is looked up in. */
struct column_name_scope {
    const struct metric_set *metric_set; /* NULL: no metrics */
    const struct event_set *events;      /* counted events; NULL: not known yet */
    const struct column_list *columns;   /* shown columns; NULL: none */
};

/* The name for column_init() of the builtin column, metric or counted event with that name or
 * title; shown columns come first, and case is ignored if there is no exact match. `cpu` means the
 * metric cpu_pct, `processor` the number of the CPU, `comm` the command. NULL: none. */
const char *column_name_find(const struct column_name_scope *scope, const char *word);

/* Like column_name_find(), but only exact names; `cpu` is the number of the CPU. */
const char *column_name_exact(const struct column_name_scope *scope, const char *name);

/* The i-th name, NULL after the last: candidates for str_nearest(). */
const char *column_name_at(void *scope, size_t i);

/* Fills in what is known of the i-th name: its title and help, the expression of a metric, the
 * events that it lacks, and whether a view of that kind can have it. False after the last name. */
bool column_name_entry(const struct column_name_scope *scope, size_t i, enum view_kind kind,
                       struct view_candidate *entry);

#endif
