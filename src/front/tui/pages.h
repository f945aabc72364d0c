/* The pages: help, the events and their state, and the choice of the column to sort by. */
#ifndef FRONT_TUI_PAGES_H
#define FRONT_TUI_PAGES_H

#include "front/tui/ui.h"

void pages_help(struct ui *ui);
void pages_events(struct ui *ui);
void pages_sort(struct ui *ui);

#endif
