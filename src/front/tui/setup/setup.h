/* The setup (F2): columns, screens, themes, switches, and what is saved. */
#ifndef FRONT_TUI_SETUP_SETUP_H
#define FRONT_TUI_SETUP_SETUP_H

#include "front/tui/state/pane.h"

void setup_open(struct ui *ui); /* a key */

extern const struct pane pane_setup;

#endif
