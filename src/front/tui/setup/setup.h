/* The setup (F2): the titles of its sections. */
#ifndef FRONT_TUI_SETUP_SETUP_H
#define FRONT_TUI_SETUP_SETUP_H

#include "front/tui/setup/section.h"

void setup_open(struct ui *ui); /* a key */

#endif
