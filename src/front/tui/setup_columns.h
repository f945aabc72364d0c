/* The section of setup for the columns of the screen on show, and the list of those that may be
 * added. */
#ifndef FRONT_TUI_SETUP_COLUMNS_H
#define FRONT_TUI_SETUP_COLUMNS_H

#include "front/tui/setup.h"

void setup_columns_fill(struct ui *ui);
/* After columns changed: the cursor goes to that one. */
void setup_columns_show(struct ui *ui, const char *name);

extern const struct pane pane_setup_columns;
extern const struct pane pane_setup_add;

#endif
