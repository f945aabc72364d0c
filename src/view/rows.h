/* The rows shown, and their order. */
#ifndef VIEW_ROWS_H
#define VIEW_ROWS_H

#include "view/cpu_level.h"
#include "view/groups.h"
#include "view/sticky.h"
#include "view/tags.h"
#include "view/tree.h"

/* All of it keeps its room, so that a refresh of as many rows as before allocates nothing. */
struct rows {
    const struct row **items; /* in order */
    size_t count, room;
    bool tree_shown;      /* they are those of the tree */
    bool all;             /* nothing is watched in particular */
    struct map processes; /* rows by pid, where something is watched or highlighted */
    struct map chosen;    /* pids of processes with a thread that is watched */
    struct sorter sorter;
    struct groups groups; /* of the views that add up processes */
    struct key_memory *keys;
    struct cpu_level levels; /* of the CPUs view */
    struct tree tree;
    struct sticky sticky;
    struct tags tags;
};

struct order {
    const struct column *column; /* sorts */
    bool ascending;
    const struct column *heat; /* what CPUs are compared by; NULL: nothing */
};

void rows_init(struct rows *rows, struct key_memory *keys); /* which outlive it */
void rows_release(struct rows *rows);

/* Takes from a frame which tasks have ended; before rows_choose. */
void rows_take(struct rows *rows, const struct view_context *context);
void rows_choose(struct rows *rows, const struct view_context *context, const struct order *order);

/* Whether that item of a tree is a process, with threads beside it or not; false without a tree. */
bool rows_is_process(const struct rows *rows, size_t item);

/* Makes the rows that add up others; none are chosen yet. */
void rows_make(struct rows *rows, const struct view_context *context);

/* All rows of the current view, shown or not, as an array: those of the frame that they were made
 * of. */
const struct row *rows_of_kind(const struct rows *rows, const struct view_context *context,
                               size_t *count);

/* The process' row, or NULL; only of the frame shown, and where something is watched or
 * highlighted: threads are watched by the name of their process. */
const struct row *rows_process(const struct rows *rows, pid_t pid);

#endif
