/* The section of the setup for themes: the screen has the one under the cursor. */
#ifndef FRONT_TUI_SETUP_THEMES_H
#define FRONT_TUI_SETUP_THEMES_H

#include "front/tui/setup/section.h"

void themes_fill(struct ui *ui);

extern const struct pane pane_setup_themes;

#endif
