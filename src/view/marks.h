/* What users do to single rows, remembered by the identity of the task: folding in the tree, tags;
 * and the marks of rows. */
#ifndef VIEW_MARKS_H
#define VIEW_MARKS_H

#include "view/tags.h"

struct view;

/* What marks a row. Those of tasks, but the last: in the CPUs view the first row is that of all
 * CPUs, whatever the order of the others. */
enum row_mark {
    ROW_TAGGED = 1 << 0,
    ROW_WATCHED = 1 << 1,  /* one of settings.highlight */
    ROW_DEAD = 1 << 2,     /* it ended, in this interval or before */
    ROW_ANCESTOR = 1 << 3, /* only there as the parent of others: it does not satisfy the filter, or
                              did not run */
    ROW_HAS_CHILDREN = 1 << 4,
    ROW_FOLDED = 1 << 5,
    ROW_TOTAL = 1 << 6,
};
unsigned view_row_marks(const struct view *view, size_t row);
/* The first four as one character for a gutter before the row, so that none hangs on colour: '*'
 * tagged, '>' watched, '+' dead, '.' ancestor, of several the first; else ' '. */
char view_row_mark(const struct view *view, size_t row);
/* Whether any row may have such a mark, now or at the next refresh; else no gutter is needed. */
bool view_shows_marks(const struct view *view);

/* The tree (settings.tree). A folded row stands for all below it and adds them up, whether it is on
 * show or not; rows are folded by identity. Rows got before are no longer valid after these. */
void view_fold(struct view *view, size_t row, bool folded);
void view_fold_all(struct view *view, bool folded); /* also those of later frames */
/* The row's parent among the rows shown; false where it has none, and without a tree. */
bool view_row_parent(const struct view *view, size_t row, size_t *parent);

/* Tags: tasks by identity, whatever is shown, until they have ended (with settings.sticky: longer).
 * Rows of other views are not tagged. */
void view_tag(struct view *view, size_t row, bool tagged);
void view_untag_all(struct view *view);
/* Those tagged in the order of their tagging; valid until the next call that changes them. */
const struct view_tagged *view_tagged(const struct view *view, size_t *count);

#endif
