/* What a view is made of, and how its columns and rows are chosen. For the files that view.h,
 * detail.h, edit.h and marks.h are implemented in. */
#ifndef VIEW_STATE_H
#define VIEW_STATE_H

#include "view/column_set.h"
#include "view/condition.h"
#include "view/rows.h"

struct detail;

struct view {
    const struct metric_set *metric_set;
    const struct screen_list *screens;
    const struct view_lookup *lookup;
    struct view_settings settings;
    uid_t self;
    struct event_set *events;    /* what the columns were made for; NULL: not known yet */
    const struct frame *frame;   /* NULL: none yet */
    const struct screen *chosen; /* by name; NULL: the one that fits */
    const struct screen *screen; /* shown, maybe a working copy; NULL: there are none */
    struct screen **copies;      /* working copies: view/edit.h */
    size_t copy_count, copy_room;
    struct condition *condition; /* what the filter's text says; NULL: nothing, it is plain text */
    char *conditioned;           /* that text */
    struct column_list columns;
    char *sort_name;    /* NULL, or not shown: the screen's */
    bool sort_reversed; /* belongs to sort_name */
    struct key_memory keys;
    struct rows rows;
    struct rows aside;     /* of a frame that is not shown */
    bool follows_process;  /* detail is of a process, though its threads are shown, too */
    struct detail *detail; /* of now */
    struct detail *past;   /* of the past, while `turned` */
    bool turned;
};

/* What its cells are made from; valid until the view changes. */
struct view_context view_context_of(const struct view *view);

/* What a word that is asked for may be the name of. */
struct column_name_scope view_names(const struct view *view);

/* The column that sorts, its direction, and what CPUs are compared by. */
struct order view_order(const struct view *view);

/* Takes over the condition that the filter's text is. */
void view_keep_condition(struct view *view, struct condition *condition);

/* The number of a screen's working copy, or of the copy that it is; copy_count: there is none. */
size_t view_copy_of(const struct view *view, const struct screen *screen);

/* Chooses the screen and its columns again, for the settings and events as they are. */
void view_choose_columns(struct view *view);

/* Chooses and sorts the rows again, for the columns as they are. */
void view_choose_rows(struct view *view);

#endif
