/* The pages: help, the events and their state, and the choice of the column to sort by. */
#ifndef FRONT_TUI_PAGES_H
#define FRONT_TUI_PAGES_H

#include "front/tui/ui.h"

void pages_help(struct ui *ui); /* the keys of the pane that is open */
void pages_events(struct ui *ui);
void pages_sort(struct ui *ui);

extern const struct pane pane_page;   /* text to read */
extern const struct pane pane_choice; /* lines to choose one from */
extern const struct pane pane_help;

#endif
