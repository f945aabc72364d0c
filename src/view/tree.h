/* Tasks under their parents: processes under the process that started them, threads under their
 * process.
 *
 * A row that is folded stands for its descendants, and adds them up, as a process does with its
 * threads: so the rows shown still add up to what was counted, and a ratio is that of the sums.
 * Unfolded rows have their own numbers. */
#ifndef VIEW_TREE_H
#define VIEW_TREE_H

#include "base/map.h"
#include "view/sort.h"

/* A row, in the tree of one frame. Other nodes are meant by their number + 1, 0: none. */
struct tree_node {
    const struct row *row; /* as shown: a sum where it is folded */
    uint32_t parent, child, sibling;
    uint32_t folding; /* the folded node that is shown for it; 0: it is shown itself */
    uint32_t place;   /* among the rows shown */
    bool thread;
    bool past;   /* ended before this interval: its counts are not of this frame */
    bool wanted; /* to be shown; else only as a parent */
    bool kept;   /* it is wanted, or one below it is */
    bool folded, has_children;
    bool summed; /* row is a sum */
    enum { NODE_NEW, NODE_ON_PATH, NODE_DONE } state;
};

/* Keeps its room from one frame to the next. */
struct tree {
    struct tree_node *nodes;
    size_t count, room;
    struct map by_pid;
    uint32_t *order; /* kept nodes, parents first; then those shown, from top to bottom */
    size_t ordered, order_room;
    struct row *sums;
    size_t sum_room;
    char *counts; /* of the sums, one behind the other */
    size_t counts_room;
    bool folded_all;  /* all are folded but those in folds; else only those are */
    struct map folds; /* by the row's id */
};

void tree_release(struct tree *tree);

/* What is folded, by the row's id, for as long as the tree lives. */
bool tree_is_folded(const struct tree *tree, uint64_t id);
void tree_fold(struct tree *tree, uint64_t id, bool folded);
void tree_fold_all(struct tree *tree, bool folded); /* also those of later frames */

/* Rows of a frame, and of `past` intervals; then the order of those shown. The one thread of a
 * process is that process, and no row of its own. What is not wanted stays where a wanted row is
 * below it. A parent that is its own descendant, which a reused pid can cause, is treated as a
 * root. In linear time but for the sort. */
void tree_begin(struct tree *tree);
void tree_add(struct tree *tree, const struct row *row, bool thread, bool past, bool wanted);
size_t tree_make(struct tree *tree, struct sorter *sorter, const struct column *column,
                 bool ascending, const struct view_context *context, const struct row ***rows,
                 size_t *room);

/* Of the row at a place among those shown. */
const struct tree_node *tree_at(const struct tree *tree, size_t place);
/* The place of its parent; false for one that has none. */
bool tree_parent(const struct tree *tree, size_t place, size_t *parent);
/* What stands before its name: lines to its parent, of the nearest two dozen levels, and "[+] "
 * where it is folded. */
void tree_lines(const struct tree *tree, size_t place, bool ascii, struct str *lines);

#endif
