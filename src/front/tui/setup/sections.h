/* Sections of the setup with lines to choose from: screens, themes, options, saving. */
#ifndef FRONT_TUI_SETUP_SECTIONS_H
#define FRONT_TUI_SETUP_SECTIONS_H

#include "front/tui/setup/section.h"

extern const struct pane pane_setup_screens, pane_setup_themes, pane_setup_display, pane_setup_save;

#endif
