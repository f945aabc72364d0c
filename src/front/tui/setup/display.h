/* The section of the setup for the options that keys of the table change, with these keys and the
 * current values. */
#ifndef FRONT_TUI_SETUP_DISPLAY_H
#define FRONT_TUI_SETUP_DISPLAY_H

#include "front/tui/setup/section.h"

void display_fill(struct ui *ui);

extern const struct pane pane_setup_display;

#endif
