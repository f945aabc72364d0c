/* The section of the setup that saves what was chosen: settings, and the columns as a screen. */
#ifndef FRONT_TUI_SETUP_SAVE_H
#define FRONT_TUI_SETUP_SAVE_H

#include "front/tui/setup/section.h"

void save_fill(struct ui *ui);

extern const struct pane pane_setup_save;

#endif
