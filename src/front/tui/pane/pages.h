/* The pages: help, what went wrong and the state of the events, and the choice of the column to
 * sort by. */
#ifndef FRONT_TUI_PANE_PAGES_H
#define FRONT_TUI_PANE_PAGES_H

#include "front/tui/state/pane.h"

void pages_help(struct ui *ui);   /* the keys of the pane that is open */
void pages_errors(struct ui *ui); /* and every event: counted how, or why not */
void pages_sort(struct ui *ui);

extern const struct pane pane_help, pane_page, pane_choice;

#endif
