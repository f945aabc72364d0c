/* Keys that act on rows: tags, the tree, following, jumping to a number, which rows stay. Where one
 * means nothing in the current view, it says which view to go to. */
#ifndef FRONT_TUI_PANE_ROWS_H
#define FRONT_TUI_PANE_ROWS_H

#include "front/tui/state/state.h"

void rows_tag(struct ui *ui); /* or untags, and moves on to the next row */
void rows_untag_all(struct ui *ui);
void rows_follow(struct ui *ui); /* or stops following */

/* A digit of a pid, in the view of CPUs of a CPU's number; those typed in quick succession make one
 * number. Another key than a digit asks for the number. */
void rows_jump(struct ui *ui);

void rows_idle(struct ui *ui); /* shows what did not run, or hides it */
void rows_tree(struct ui *ui);
/* Folds (how < 0) the row's children, of a row without any those of its parent, or unfolds them. */
void rows_fold(struct ui *ui);
void rows_fold_all(struct ui *ui); /* where nothing is folded, else unfolds all */

void rows_sticky(struct ui *ui); /* keeps tasks that have ended, or drops them */
void rows_level(struct ui *ui);  /* CPUs, cores, sockets, core types */

void rows_sort_by(struct ui *ui, const char *column); /* not a key */

void rows_draw(struct ui *ui, const struct band *band, int width); /* or why there are none */

#endif
