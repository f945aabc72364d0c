/* The sections of the setup whose lines are choices: screens, themes, options, what to save. */
#ifndef FRONT_TUI_SETUP_SECTIONS_H
#define FRONT_TUI_SETUP_SECTIONS_H

#include "front/tui/setup/section.h"

extern const struct pane pane_setup_screens, pane_setup_themes, pane_setup_display, pane_setup_save;

#endif
