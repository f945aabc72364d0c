/* Screens: which columns are shown and which events they need, from INI text. */
#ifndef VIEW_SCREEN_H
#define VIEW_SCREEN_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct event_set;

struct screen {
    char *name;
    char *description;
    char *events;    /* as for -e: what is counted when this screen is chosen; may be "" */
    char **columns;  /* names: pid user cpu tid ppid state threads command; metrics; events */
    size_t column_count;
    char **requires; /* events without which the screen makes no sense */
    size_t require_count;
    char *sort;      /* one of the columns */
    int line;        /* where its text names it first */
};

struct screen_list {
    struct screen *screens; /* in order of preference: that of the text */
    size_t count, room;
};

void screen_list_init(struct screen_list *list);
void screen_list_release(struct screen_list *list);

/* Adds the [screen NAME] sections of an INI text: keys columns (required), description, events,
 * requires, sort; `origin` names it in messages. Sections of other kinds are left to others. A name
 * given again replaces the screen. On -1 the list is as it was. Screens move: pointers from before
 * the call are no longer valid. */
int screen_list_load(struct screen_list *list, const char *text, const char *origin,
                     struct err *err);

const struct screen *screen_find(const struct screen_list *list, const char *name);
/* Whether all events that a screen requires are counted. */
bool screen_fits(const struct screen *screen, const struct event_set *set);
/* The screen that fits what is counted: the first whose required events are all counted; the last
 * one when none does; NULL for an empty list. */
const struct screen *screen_fitting(const struct screen_list *list, const struct event_set *set);

/* Whether `events` names that event, under this name or an alias. */
bool screen_counts(const struct screen *screen, const char *event);

#endif
