/* Screens: a list of columns and the events that they need, from INI text. */
#pragma once

#include "base/base.h"

struct event_set;

/* The width of a column. */
struct screen_width {
    char *column;
    int width;
};

/* The bounds of a width: a narrower column has no room for a number. */
enum { COLUMN_MIN = 3, COLUMN_MAX = 200 };

struct screen {
    char *name;
    char *description;
    char *events;                /* as for -e, counted when it is chosen; may be "" */
    struct names columns;        /* pid user cpu tid ppid state threads command; metrics; events */
    struct names requires;       /* events without which the screen is useless */
    char *sort;                  /* one of the columns */
    char *cpus;                  /* the CPUs it is for, as for machine_matches(); NULL: all */
    bool of_cpus;                /* counts CPUs, not tasks: shown in the view of CPUs */
    bool builtin;                /* comes with the program: has spare columns (view/column.h) */
    char *origin;                /* the name of its text in messages */
    int line;                    /* line of its first section */
    struct screen_width *widths; /* of columns that have no default width */
    size_t width_count;
    const struct screen *original; /* of a working copy (view/view.c): the source; else NULL */
    struct names hidden;           /* a working copy does not get these automatically */
};

/* A screen for other machines. */
struct screen_other {
    char *name;
    char *cpus;
};

struct screen_list {        /* zeroed: empty */
    struct screen *screens; /* in order of preference, which is that of the text */
    size_t count, room;
    struct screen_other *others; /* their names may be in `screens`, too */
    size_t other_count, other_room;
    const struct machine *machine; /* screens are chosen for it; NULL: not known */
    bool embedded;                 /* texts come with the program: those for others are not read */
};

void screen_list_release(struct screen_list *list);

/* Adds the [screen NAME] and [screen NAME@SET] sections of an INI text (metric/machine.h): keys
 * columns (required), description, events, requires, sort, view (`tasks`, the default, or `cpus`),
 * widths (`NAME:WIDTH ...`) and cpus. Further lines with the keys columns, events, requires and
 * widths add to the first. A name with blanks is quoted, single or double. `origin` names the text
 * in messages. Ignores sections of other kinds. Of several sections for one name the first that
 * matches this machine is used; it replaces the screen of an earlier text. On -1 the list is
 * unchanged. Screens move: earlier pointers become invalid. */
int screen_list_load(struct screen_list *list, const char *text, const char *origin,
                     struct err *err);

/* A deep copy on the heap; screen_free() releases and frees it. */
struct screen *screen_copy(const struct screen *screen);
void screen_free(struct screen *screen);

bool screen_has_column(const struct screen *screen, const char *name);
int screen_width(const struct screen *screen, const char *column); /* 0: the default */
/* 0: the default; else within the bounds. */
void screen_set_width(struct screen *screen, const char *column, int width);

const struct screen *screen_find(const struct screen_list *list, const char *name);
/* The machines for which there is a screen of that name: "AMD Zen 4, Intel Skylake". The caller
 * frees it. NULL if there is none for any machine. */
char *screen_elsewhere(const struct screen_list *list, const char *name);
/* Whether all events required by a screen are counted. */
bool screen_fits(const struct screen *screen, const struct event_set *set);
/* The first screen whose required events are all counted; if there is none, the last one; NULL for
 * an empty list. */
const struct screen *screen_fitting(const struct screen_list *list, const struct event_set *set);

/* Whether `events` contains that event, under this name or an alias. */
bool screen_counts(const struct screen *screen, const char *event);
