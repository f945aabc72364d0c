/* The pages: help, errors and states of events. */
#ifndef FRONT_TUI_PANE_PAGES_H
#define FRONT_TUI_PANE_PAGES_H

#include "front/tui/state/pane.h"

void pages_help(struct ui *ui);   /* the keys of the open pane */
void pages_errors(struct ui *ui); /* and every event: how it is counted, or why not */
/* A line for each column of the table. */
void pages_add_columns(struct ui *ui, struct page *list);

extern const struct pane pane_help, pane_page;

#endif
