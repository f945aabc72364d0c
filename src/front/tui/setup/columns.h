/* The section "columns" of the setup, and the list of columns that can be added. */
#ifndef FRONT_TUI_SETUP_COLUMNS_H
#define FRONT_TUI_SETUP_COLUMNS_H

#include "front/tui/setup/section.h"

extern const struct pane pane_setup_columns, pane_setup_add;

#endif
