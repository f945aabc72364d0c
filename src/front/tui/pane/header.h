/* The lines at the top: what is watched and how, its totals, what countertop costs. */
#ifndef FRONT_TUI_PANE_HEADER_H
#define FRONT_TUI_PANE_HEADER_H

#include "front/tui/state/state.h"
#include "front/tui/widget/layout.h"

/* Lines that there is something for at this width. */
int header_lines(const struct ui *ui, int width);
void header_draw(const struct ui *ui, const struct layout *layout); /* its header and meters */
/* How a command has ended, which counts of it are shown, and the session's notice; the caller frees
 * it. */
char *header_notice(const struct ui *ui);

#endif
