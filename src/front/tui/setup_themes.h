/* The section of setup for themes: each is on show while the cursor is on it. */
#ifndef FRONT_TUI_SETUP_THEMES_H
#define FRONT_TUI_SETUP_THEMES_H

#include "front/tui/setup.h"

void setup_themes_fill(struct ui *ui);

extern const struct pane pane_setup_themes;

#endif
