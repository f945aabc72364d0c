/* The lines at the top: targets, mode and events, totals, and countertop's own cost. */
#ifndef FRONT_TUI_PANE_HEADER_H
#define FRONT_TUI_PANE_HEADER_H

#include "front/tui/state/state.h"
#include "front/tui/widget/layout.h"

/* Number of lines wanted at this width. */
int header_lines(const struct ui *ui, int width);
void header_draw(const struct ui *ui, const struct layout *layout); /* and its meters */
/* How the command ended, which of its counts are shown, and the session's notice; the caller frees
 * it. */
char *header_notice(const struct ui *ui);

#endif
