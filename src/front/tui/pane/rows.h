/* Keys that act on rows: tags, the tree, following, jumping to a number, ended and idle rows. A key
 * that the current view does not support names a view that does. */
#ifndef FRONT_TUI_PANE_ROWS_H
#define FRONT_TUI_PANE_ROWS_H

#include "front/tui/state/state.h"

void rows_tag(struct ui *ui); /* or untags; moves to the next row */
void rows_untag_all(struct ui *ui);
void rows_follow(struct ui *ui); /* or stops following */

/* A digit of a pid, or of a CPU's number in the CPUs view. Digits in quick succession make one
 * number. Any other key asks for the number. */
void rows_jump(struct ui *ui);

void rows_idle(struct ui *ui); /* shows or hides idle rows */
void rows_tree(struct ui *ui);
/* Folds (how < 0) or unfolds the row's children; a row without children folds those of its
 * parent. */
void rows_fold(struct ui *ui);
void rows_fold_all(struct ui *ui); /* folds all, or unfolds all if any is folded */

void rows_sticky(struct ui *ui); /* keeps ended tasks, or drops them */
void rows_level(struct ui *ui);  /* CPUs, cores, sockets, core types */

void rows_sort_by(struct ui *ui, const char *column); /* not a key */

void rows_draw(struct ui *ui, const struct band *band, int width); /* or why there are none */

#endif
