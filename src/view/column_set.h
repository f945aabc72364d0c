/* Which columns are on show: those of a screen, and of the events that none of them uses. */
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

/* Fills the list anew. screen NULL: pid and command; set NULL: events are not known yet.
 * In the threads view `tid` follows `pid`; in the CPUs view `cpu` leads and what belongs to tasks
 * is left out, in those of users, commands and cgroups likewise behind the number of processes;
 * what names the rows is last; before it is `run_pct` where hardware events take turns. */
void column_list_choose(struct column_list *list, const struct screen *screen,
                        const struct metric_set *metric_set, const struct event_set *set,
                        const struct view_settings *settings);

/* Whether every column of the screen is a fact, a metric or one of the events it counts. */
int column_check_screen(const struct screen *screen, const struct metric_set *metric_set,
                        struct err *err);

#endif
