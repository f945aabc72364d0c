/* The catalogue of events: a list that is searched while words are typed, and the details of the
 * entry under the cursor below it. */
#ifndef FRONT_TUI_PANE_MENU_H
#define FRONT_TUI_PANE_MENU_H

#include "front/tui/state/pane.h"

void menu_open(struct ui *ui);

extern const struct pane pane_menu;

#endif
