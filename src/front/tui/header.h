/* The lines at the top: what is watched and how, what it comes to, what countertop costs. */
#ifndef FRONT_TUI_HEADER_H
#define FRONT_TUI_HEADER_H

#include "front/tui/ui.h"

/* Lines that there is something for at this width. */
int header_lines(const struct ui *ui, int width);
void header_draw(const struct ui *ui, const struct layout *layout); /* its header and meters */

#endif
