/* Actions on single rows, remembered by the task's identity: folding, tags; and marks of rows. */
#pragma once

#include "view/view_context.h"

/* Marks of rows of tasks; the last is of the CPUs view: the first row, of all CPUs. */
enum row_mark {
    ROW_TAGGED = 1 << 0,
    ROW_WATCHED = 1 << 1,  /* matches settings.highlight */
    ROW_DEAD = 1 << 2,     /* it has ended, in this interval or before */
    ROW_ANCESTOR = 1 << 3, /* only the parent of others: filtered out, or did not run */
    ROW_HAS_CHILDREN = 1 << 4,
    ROW_FOLDED = 1 << 5,
    ROW_TOTAL = 1 << 6,
};
unsigned view_row_marks(const struct view *view, size_t row);
/* The first of four marks that applies, for a gutter before the row: '*' tagged, '>' watched, '+'
 * dead, '.' ancestor; else ' '. */
char view_row_mark(const struct view *view, size_t row);
/* Whether any row may have such a mark, now or soon; else no gutter is needed. */
bool view_shows_marks(const struct view *view);

/* The tree (settings.tree). A folded row adds up all rows below it, visible or not. Rows are folded
 * by identity. Without a tree, tasks of one name that ended in the interval are one row on a
 * terminal, until it is unfolded. False: it is not such a row. These calls invalidate rows. */
bool view_fold(struct view *view, size_t row, bool folded);
void view_fold_all(struct view *view, bool folded); /* also in later frames */
/* The row's parent among the visible rows; false if it has none or there is no tree. */
bool view_row_parent(const struct view *view, size_t row, size_t *parent);

/* Tags of tasks by identity, visible or not, until they have ended (with settings.sticky: longer).
 * Rows of other views are not tagged. */
void view_tag(struct view *view, size_t row, bool tagged);
void view_untag_all(struct view *view);
/* The tagged tasks in the order of tagging; valid until the next call that changes tags. */
const struct view_tagged *view_tagged(const struct view *view, size_t *count);
