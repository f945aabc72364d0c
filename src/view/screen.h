/* Screens: which columns are shown and which events they need, from INI text. */
#ifndef VIEW_SCREEN_H
#define VIEW_SCREEN_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct event_set;
struct machine;

/* How wide a column is to be. */
struct screen_width {
    char *column;
    int width;
};

/* The bounds of a width: less shows no number. */
enum { COLUMN_LEAST = 3, COLUMN_MOST = 200 };

struct screen {
    char *name;
    char *description;
    char *events;   /* as for -e: what is counted when this screen is chosen; may be "" */
    char **columns; /* names: pid user cpu tid ppid state threads command; metrics; events */
    size_t column_count;
    char **requires; /* events without which the screen makes no sense */
    size_t require_count;
    char *sort;   /* one of the columns */
    char *cpus;   /* which CPUs it is for, as for machine_matches(); NULL: all */
    bool of_cpus; /* counts what CPUs do, and nothing for tasks: shown in the view of CPUs */
    char *origin; /* what its text is called in messages, */
    int line;     /* and where that names it first */
    struct screen_width *widths; /* of columns that are not as wide as usual */
    size_t width_count;
    const struct screen *original; /* of a working copy (view/edit.h) what it was made from, NULL */
    char **hidden;                 /* and the columns that it is not to be given by itself */
    size_t hidden_count;
};

/* A screen for other machines. */
struct screen_other {
    char *name;
    char *cpus;
};

struct screen_list {
    struct screen *screens; /* in order of preference: that of the text */
    size_t count, room;
    struct screen_other *others; /* also of names that are in screens */
    size_t other_count, other_room;
    const struct machine *machine; /* what screens are chosen for; NULL: not known */
};

void screen_list_init(struct screen_list *list);
void screen_list_release(struct screen_list *list);

/* Adds the [screen NAME] and [screen NAME@SET] sections of an INI text (metric/machine.h): keys
 * columns (required), description, events, requires, sort, view (`tasks`, which is usual, or
 * `cpus`), widths (`NAME:WIDTH ...`) and cpus. Of columns, events, requires and widths a second
 * line adds to the first. A name with blanks stands in quotes, single or double. `origin` names the
 * text in messages. Sections of other kinds are left to others. Of several for one name the first
 * that is for this machine is taken, and replaces the screen of an earlier text. On -1 the list is
 * as it was. Screens move: pointers from before the call are no longer valid. */
int screen_list_load(struct screen_list *list, const char *text, const char *origin,
                     struct err *err);

/* A copy of its own, on the heap; released and freed by screen_free(). */
struct screen *screen_copy(const struct screen *screen);
void screen_free(struct screen *screen);

/* The place of a word among columns, events required or columns hidden; count: it is none. */
size_t screen_place_of(char *const *words, size_t count, const char *word);
bool screen_has_column(const struct screen *screen, const char *name);
int screen_width(const struct screen *screen, const char *column); /* 0: as usual */
/* 0: as usual again; else within the bounds. */
void screen_set_width(struct screen *screen, const char *column, int width);

const struct screen *screen_find(const struct screen_list *list, const char *name);
/* What machines a screen is for that is for none like this: "AMD Zen 4, Intel Skylake", which the
 * caller frees; NULL where there is none of that name. */
char *screen_elsewhere(const struct screen_list *list, const char *name);
/* Whether all events that a screen requires are counted. */
bool screen_fits(const struct screen *screen, const struct event_set *set);
/* The screen that fits what is counted: the first whose required events are all counted; the last
 * one when none does; NULL for an empty list. */
const struct screen *screen_fitting(const struct screen_list *list, const struct event_set *set);

/* Whether `events` names that event, under this name or an alias. */
bool screen_counts(const struct screen *screen, const char *event);

#endif
