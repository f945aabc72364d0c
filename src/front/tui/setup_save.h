/* The section of setup that keeps what was chosen: settings, and the columns as a screen. */
#ifndef FRONT_TUI_SETUP_SAVE_H
#define FRONT_TUI_SETUP_SAVE_H

#include "front/tui/setup.h"

void setup_save_fill(struct ui *ui);

extern const struct pane pane_setup_save;

#endif
