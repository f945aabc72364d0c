/* The section of setup for what keys of the table switch, with these keys and what is set. */
#ifndef FRONT_TUI_SETUP_DISPLAY_H
#define FRONT_TUI_SETUP_DISPLAY_H

#include "front/tui/setup.h"

void setup_display_fill(struct ui *ui);

extern const struct pane pane_setup_display;

#endif
