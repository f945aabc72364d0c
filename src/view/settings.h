/* Settings of a view: which rows, which amount of a count, in which form. */
#pragma once

#include "model/functions.h"

/* In the order of Tab; view_types (view/view_kind.h) has a row for each. */
enum view_kind {
    VIEW_TASKS,
    VIEW_CPUS,
    VIEW_USERS,
    VIEW_COMMANDS,
    VIEW_CGROUPS,
    VIEW_HEAT,                     /* CPUs, with the last values of one column as a strip */
    VIEW_TAKERS,                   /* which command had the CPU while which one waited for it */
    VIEW_FUNCTIONS,                /* in which code an event happens */
    VIEW_TABS,                     /* Tab does not lead to the following ones */
    VIEW_INSTRUCTIONS = VIEW_TABS, /* of one function */
    VIEW_CGROUP_TAKERS,            /* as VIEW_TAKERS, of cgroups */
    VIEW_COUNT,
};

/* How counts are shown, in the order of the words of --show: per second, in the interval, or since
 * counting began. The last needs a frame of the whole time. */
enum view_amount { AMOUNT_RATE, AMOUNT_INTERVAL, AMOUNT_TOTAL };

/* The rows of the CPUs view, in the order of the words of --level. */
enum view_level { LEVEL_CPU, LEVEL_CORE, LEVEL_SOCKET, LEVEL_TYPE };

struct view_settings {
    enum view_kind kind;
    enum view_amount amount;
    bool exact;         /* all digits of counts, without SI suffixes */
    bool threads;       /* threads instead of processes */
    bool idle;          /* also idle rows */
    bool cmdline;       /* command lines instead of names, whole paths of cgroups */
    bool ascii;         /* only ASCII in cells */
    bool plain;         /* marks and bars are ASCII; texts need not be */
    bool terminal;      /* roles say where a number stands in its column; columns that are
                         * shown only where there is room (struct view_column, spare) */
    char *filter;       /* only rows whose name or command line contains this text or that
                         * satisfy this condition on columns (view/condition.h); NULL: all.
                         * view_set_filter() checks it; a text that is no condition is plain text */
    struct watch watch; /* only rows of these tasks */
    bool tree;          /* tasks below their parents, threads below their process */
    bool sticky;        /* ended tasks stay with their last values; some thousands */
    uint64_t kept;      /* id of a task that stays in any case; 0: none */
    double least_cpu;   /* only rows with at least this %CPU; 0: any. Not for CPUs and code */
    enum view_level level;
    enum source_rows source; /* rows of the view of instructions */
    struct watch highlight;  /* rows of these are marked; empty: none */
    struct watch samples;    /* functions are of samples of these tasks only; empty: of all */
    char *sampled; /* owned; the event of which the last frame has functions; NULL: none */
};

/* Whether frames must contain tasks that did not run: they are visible, or parents in the tree. */
bool view_needs_idle(const struct view_settings *settings);
bool view_marks_ascii(const struct view_settings *settings); /* ascii or plain */
/* "a second", "in the interval", "since the start". */
const char *view_amount_text(enum view_amount amount);
