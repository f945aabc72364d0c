/* Lists to choose from beside the table, which stays live: the column to sort by, a user, a screen.
 */
#ifndef FRONT_TUI_PANE_CHOICES_H
#define FRONT_TUI_PANE_CHOICES_H

#include "front/tui/state/pane.h"

/* Time limit for trials of events or screens in one drawing; the next drawing tries more. */
enum { TRIALS_NS = 20000000 };

void choices_sort(struct ui *ui);
void choices_user(struct ui *ui);
void choices_screen(struct ui *ui);

/* The lines of a list of screens, also that of the setup: those that cannot be counted here are
 * dim. Line ids are 1 for the screen shown. Shows the screen of a line. */
void choices_add_screens(struct ui *ui, struct page *list);
void choices_show_screen(struct ui *ui, const char *name);
/* Adds a line for a screen or theme; obstacle: why it cannot be shown, NULL or "": it can. */
void choices_add(struct page *list, const char *name, bool used, const char *obstacle,
                 const char *description, const char *more);
/* Call when a list of screens closes: what can be counted may change. */
void choices_forget(struct ui *ui);

extern const struct pane pane_choice, pane_users, pane_screens;

#endif
