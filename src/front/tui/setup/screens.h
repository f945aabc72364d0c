/* The section of the setup for screens. */
#ifndef FRONT_TUI_SETUP_SCREENS_H
#define FRONT_TUI_SETUP_SCREENS_H

#include "front/tui/setup/section.h"

void screens_fill(struct ui *ui);
void screens_forget(struct ui *ui); /* frees what was tried */

extern const struct pane pane_setup_screens;

#endif
