/* What is shown of a frame: which rows, which amount of a count, in which form. */
#ifndef VIEW_SETTINGS_H
#define VIEW_SETTINGS_H

#include "sample/watch.h"

#include <stdbool.h>
#include <stdint.h>

/* In the order of Tab; view_types (view/view_kind.h) has a row for each. Rows of all but the first
 * two add up processes. */
enum view_kind {
    VIEW_TASKS,
    VIEW_CPUS,
    VIEW_USERS,
    VIEW_COMMANDS,
    VIEW_CGROUPS,
    VIEW_COUNT,
};

/* How counts are shown, in the order of the words of --show: how many a second, how many in
 * the interval, or how many since counting began. The last needs a frame of that whole time. */
enum view_amount { AMOUNT_RATE, AMOUNT_INTERVAL, AMOUNT_TOTAL };

/* What a row of the CPUs view adds up, in the order of the words of --level. */
enum view_level { LEVEL_CPU, LEVEL_CORE, LEVEL_SOCKET, LEVEL_TYPE };

struct view_settings {
    enum view_kind kind;
    enum view_amount amount;
    bool exact;         /* all digits of counts, without SI suffixes */
    bool threads;       /* threads instead of processes */
    bool idle;          /* also what did not run */
    bool cmdline;       /* command lines instead of names, whole paths of cgroups */
    bool ascii;         /* only ASCII in cells */
    char *filter;       /* only rows whose name or command line contains this, or, where it is a
                           condition on columns (view/condition.h), that satisfy it; NULL: all.
                           view_set_filter() checks it; what is no condition is plain text */
    struct watch watch; /* only rows of these */
    bool tree;          /* tasks under their parents; threads, too, under their process */
    bool sticky;        /* tasks that ended are shown, as they were last; some thousands */
    uint64_t kept;      /* the id of a task that does so in any case; 0: none */
    double least_cpu;   /* only rows that take so many %CPU; 0: any. Not of CPUs */
    enum view_level level;
    struct watch highlight; /* rows of these are marked; empty: none */
};

/* Whether frames must have the tasks that did not run: they are shown, or may be parents in the
 * tree. */
bool view_needs_idle(const struct view_settings *settings);
/* "a second", "in the interval", "since the start": in plain words. */
const char *view_amount_text(enum view_amount amount);

#endif
