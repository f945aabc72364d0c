/* Tasks under their parents: processes under the process that started them, threads under their
 * process.
 *
 * A folded row adds up all its descendants, as a process adds up its threads. So the visible rows
 * still add up to the total, and ratios are computed from sums. Unfolded rows have their own
 * numbers. */
#ifndef VIEW_TREE_H
#define VIEW_TREE_H

#include "base/map.h"
#include "view/sort.h"

/* A row in the tree of one frame. Nodes are referred to by index + 1, 0: none. */
struct tree_node {
    const struct row *row; /* as shown: a sum if it is folded */
    uint32_t parent, child, sibling;
    uint32_t folding; /* the folded node that contains it; 0: it is shown itself */
    uint32_t place;   /* index among the rows shown */
    bool thread;
    bool past;   /* ended before this interval: its counts are not of this frame */
    bool wanted; /* to be shown; else only as a parent */
    bool kept;   /* wanted, or a node below it is */
    bool folded, has_children;
    bool summed; /* row is a sum */
    enum { NODE_NEW, NODE_ON_PATH, NODE_DONE } state;
};

/* Keeps its memory between frames. */
struct tree {
    struct tree_node *nodes;
    size_t count, room;
    struct map by_pid;
    uint32_t *order; /* kept nodes, parents first; later those shown, from top to bottom */
    size_t ordered, order_room;
    struct row *sums;
    size_t sum_room;
    char *counts; /* of the sums, one after another */
    size_t counts_room;
    bool folded_all;  /* true: all but `folds` are folded; false: only `folds` are */
    struct map folds; /* by row id */
};

void tree_release(struct tree *tree);

/* Folding by row id; persists for the lifetime of the tree. */
void tree_fold(struct tree *tree, uint64_t id, bool folded);
void tree_fold_all(struct tree *tree, bool folded); /* also in later frames */

/* Adds rows of a frame and of earlier intervals (`past`), then makes the order of those shown. A
 * process' only thread has no row of its own. Unwanted rows stay if a wanted row is below them. A
 * parent that is its own descendant, which a reused pid can cause, becomes a root. Linear time,
 * except for the sort. */
void tree_begin(struct tree *tree);
void tree_add(struct tree *tree, const struct row *row, bool thread, bool past, bool wanted);
size_t tree_make(struct tree *tree, struct sorter *sorter, const struct column *column,
                 bool ascending, const struct view_context *context, const struct row ***rows,
                 size_t *room);

/* The node at an index of the rows shown. */
const struct tree_node *tree_at(const struct tree *tree, size_t place);
/* The index of its parent; false if it has none. */
bool tree_parent(const struct tree *tree, size_t place, size_t *parent);
/* The text before its name: lines to its parents, at most the nearest two dozen levels, and "[+] "
 * if it is folded. */
void tree_lines(const struct tree *tree, size_t place, bool ascii, struct str *lines);

#endif
