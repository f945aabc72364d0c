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
    char *events;    /* as for -e: what is counted when this screen is chosen */
    char **columns;  /* names: pid user cpu tid ppid state threads command, or a metric's */
    size_t column_count;
    char **requires; /* events without which the screen makes no sense */
    size_t require_count;
    char *sort;      /* column */
};

struct screen_list {
    struct screen *screens; /* in order of preference */
    size_t count, room;
};

void screen_list_init(struct screen_list *list);
void screen_list_release(struct screen_list *list);

/* Adds the [screen NAME] sections of an INI text; `origin` names it in messages. Sections of other
 * kinds are left to others. On -1 the list is as it was. */
int screen_list_load(struct screen_list *list, const char *text, const char *origin,
                     struct err *err);

const struct screen *screen_find(const struct screen_list *list, const char *name);
/* The screen that fits what is counted; the last one when none does; NULL for an empty list. */
const struct screen *screen_fitting(const struct screen_list *list, const struct event_set *set);

#endif
