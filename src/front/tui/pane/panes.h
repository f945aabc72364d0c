/* What keys of the table open, and what they do with its rows. */
#ifndef FRONT_TUI_PANE_PANES_H
#define FRONT_TUI_PANE_PANES_H

#include "front/tui/state/pane.h"
#include "front/tui/state/state.h"

/* --- Panes --- */

/* All values of one row with their histories, live, and after it has ended. */
extern const struct pane pane_details;
void details_open(struct ui *ui); /* of the row under the cursor, or the first one */

/* The catalogue of events: a list that is searched while words are typed, above the details of the
 * entry under the cursor. */
extern const struct pane pane_menu;
void menu_open(struct ui *ui);

/* A list of signals, then a question that names the processes. The signal is for the tagged rows,
 * else for the one under the cursor; for a thread, for its process. The processes are held from
 * kill_open on, so that the signal reaches those that the question names. */
extern const struct pane pane_signals, pane_confirm;
void kill_open(struct ui *ui);

extern const struct pane pane_help, pane_page, pane_choice;
void pages_help(struct ui *ui);   /* the keys of the pane that is open */
void pages_errors(struct ui *ui); /* what went wrong; and every event: counted how, or why not */
void pages_sort(struct ui *ui);   /* the choice of the column to sort by */

/* --- Rows. Where a key means nothing in the current view, it says which view to go to. --- */

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
