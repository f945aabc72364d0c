/* The parts of a view, and the choice of its columns and rows. Only for the files that implement
 * view.h, baseline.h, detail.h, marks.h, sampling.h and strip.h. */
#pragma once

#include "view/condition.h"
#include "view/rows.h"

/* What details, charts and strips are of. Tasks and CPUs are recorded in all views, so that nothing
 * is lost while another view is shown; sums of tasks and functions only in their own; the past
 * while it is shown. */
enum detail_of { DETAIL_TASKS, DETAIL_SUMS, DETAIL_CPUS, DETAIL_PAST, DETAILS };

struct view {
    const struct metric_set *metric_set;
    const struct screen_list *screens;
    const struct view_lookup *lookup;
    bool holding;       /* what /proc says of tasks: it changes, and ends with the task */
    struct map answers; /* of proc_ask() since then */
    struct view_settings settings;
    uid_t self;
    struct event_set *events;    /* the columns are bound to these; NULL: not known yet */
    const struct frame *frame;   /* NULL: none yet */
    const struct screen *chosen; /* by the user; NULL: the one that fits */
    const struct screen *screen; /* the one shown, maybe a working copy; NULL: there are none */
    struct screen **copies;      /* working copies (view/view.c) */
    size_t copy_count, copy_room;
    struct condition *condition; /* parsed filter; NULL: plain text */
    char *conditioned;           /* the text that `condition` is parsed from */
    struct column_list columns;
    char *sort_name;    /* NULL, or a column that is not shown: the screen's own */
    bool sort_reversed; /* only for sort_name */
    struct key_memory keys;
    uint64_t choice;  /* number of times that rows were chosen */
    uint64_t changes; /* ... that columns were, or what is watched */
    struct rows rows;
    struct rows aside;    /* rows of a frame that is not shown */
    bool follows_process; /* the detail is of a process although threads are shown, too */
    struct detail *details[DETAILS];
    bool turned;
    struct baseline *baseline; /* NULL: cells are not compared */
    struct code_history {
        struct history *history; /* what functions took a second, by function_key() (baseline.c) */
        char *event;             /* that was sampled; NULL: none yet */
        uint64_t intervals;      /* of that event */
        double sampled; /* the variance of a value by the chance of sampling, as its part */
    } code[2];          /* of the present, and while `turned` of the past */
};

/* The sort column and direction, and the column that CPUs are compared by. */
struct order view_order(const struct view *view);

/* The value of a metric, by its name, in a row of a frame; VALUE_MISSING: there is none. */
struct value view_metric_value(const struct view *view, const char *name, const struct frame *frame,
                               const struct row *row);

/* Chooses and sorts the rows again for the current columns. */
void view_choose_rows(struct view *view);

/* Adds what functions take in a frame to their history, of the present or past, and tests them
 * against the baseline; held: what is shown stays as it is. */
void view_record_functions(struct view *view, bool past, const struct frame *frame,
                           const struct functions *functions, bool held);
