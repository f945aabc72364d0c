/* Commands on rows: tags, the tree, following, jumping to a pid, and which rows are marked or stay.
 * Where a command means nothing in the view on show, it says where it does. */
#ifndef FRONT_TUI_ROWS_H
#define FRONT_TUI_ROWS_H

#include "front/tui/ui.h"

void rows_tag(struct ui *ui); /* or untags, and goes on to the next row */
void rows_untag_all(struct ui *ui);
void rows_follow(struct ui *ui); /* or no longer */

/* A digit of a pid, in the view of CPUs of a CPU's number; those typed in quick succession make one
 * number. Another key than a digit asks for the number. */
void rows_jump(struct ui *ui);

void rows_tree(struct ui *ui);
void rows_fold(struct ui *ui); /* the row's children, or of a row without any those of its parent */
void rows_unfold(struct ui *ui);
void rows_fold_all(struct ui *ui); /* where nothing is folded, else unfolds all */

void rows_sticky(struct ui *ui); /* tasks that ended stay, or no longer */
void rows_watch(struct ui *ui);  /* asks whose rows to mark */
void rows_least(struct ui *ui);  /* asks for the least %CPU */
void rows_level(struct ui *ui);  /* CPUs, cores, sockets, core types */

#endif
