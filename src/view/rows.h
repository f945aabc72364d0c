/* The visible rows and their order. */
#ifndef VIEW_ROWS_H
#define VIEW_ROWS_H

#include "model/functions.h"
#include "view/cpu_level.h"
#include "view/groups.h"
#include "view/sticky.h"
#include "view/tags.h"
#include "view/tree.h"

/* Memory is kept, so that a refresh with as many rows as before allocates nothing. */
struct rows {
    const struct row **items; /* in order */
    size_t count, room;
    bool tree_shown;      /* the items are rows of the tree */
    bool all;             /* no particular tasks are watched */
    struct map processes; /* rows by pid, if tasks are watched or highlighted */
    struct map chosen;    /* pids of processes with a watched thread */
    struct map ended;     /* ids of processes with a watched thread that has ended */
    double watched;       /* seconds on CPUs of the watched threads, if not all are */
    /* The frame's processes, of which those with watched and other threads are sums of the watched
     * ones; NULL: there are none of these. */
    struct row *sums;
    const struct frame *summed; /* that frame */
    struct map sum_of;          /* these sums, by the process's id */
    struct sorter sorter;
    struct groups groups; /* for views that add up processes */
    struct key_memory *keys;
    struct cpu_level levels; /* for the CPUs view */
    struct functions functions;
    struct annotated annotated; /* function whose instructions are shown */
    struct tree tree;
    struct sticky sticky;
    struct tags tags;
};

struct order {
    const struct column *column; /* the sort column */
    bool ascending;
    const struct column *heat; /* the column that CPUs are compared by; NULL: none */
};

void rows_init(struct rows *rows, struct key_memory *keys); /* keys outlives it */
void rows_release(struct rows *rows);

/* Remembers which tasks ended in a frame; call before rows_choose. */
void rows_take(struct rows *rows, const struct view_context *context);
void rows_choose(struct rows *rows, const struct view_context *context, const struct order *order);

/* Makes the rows that are sums of others; chooses none. */
void rows_make(struct rows *rows, const struct view_context *context);

/* All rows of the current view, visible or not, as an array. Rows of groups and CPUs are those of
 * the frame that they were made from. */
const struct row *rows_of_kind(const struct rows *rows, const struct view_context *context,
                               size_t *count);

/* Whether the samples of a task are wanted: it is watched, and was to be sampled. */
bool rows_covers(const struct rows *rows, const struct view_context *context, pid_t pid, pid_t tid);
/* As functions_related(). */
uint64_t rows_related(const struct rows *rows, const struct view_context *context,
                      const struct function *function, enum related which,
                      struct functions *related);
/* The exact count of what was sampled for functions; below 0: not known. Call after rows_make(). */
double rows_counted(const struct rows *rows, const struct view_context *context);

/* The row of the process, or NULL. Only for the frame shown, if tasks are watched or highlighted:
 * threads are watched by the name of their process. */
const struct row *rows_process(const struct rows *rows, pid_t pid);

#endif
