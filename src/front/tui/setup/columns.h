/* The section of the setup for the columns of the screen, and the list of those that can be
 * added. */
#ifndef FRONT_TUI_SETUP_COLUMNS_H
#define FRONT_TUI_SETUP_COLUMNS_H

#include "front/tui/setup/section.h"

extern const struct pane pane_setup_columns, pane_setup_add;

#endif
