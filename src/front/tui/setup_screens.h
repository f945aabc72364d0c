/* The section of setup for screens. */
#ifndef FRONT_TUI_SETUP_SCREENS_H
#define FRONT_TUI_SETUP_SCREENS_H

#include "front/tui/setup.h"

void setup_screens_fill(struct ui *ui);
void setup_screens_forget(struct ui *ui); /* what was tried */

extern const struct pane pane_setup_screens;

#endif
