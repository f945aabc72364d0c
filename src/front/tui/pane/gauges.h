/* Draws the meters of the header: the machine with its bar, a bar for each CPU, and the history;
 * beside them what the machine's columns show, and countertop's own cost. Each has its place, which
 * depends on the width and the screen only. */
#ifndef FRONT_TUI_PANE_GAUGES_H
#define FRONT_TUI_PANE_GAUGES_H

#include "front/tui/state/state.h"
#include "front/tui/widget/layout.h"

/* Number of lines wanted, at most a third of the height. */
int gauges_lines(const struct ui *ui, int width, int height);
void gauges_draw(const struct ui *ui, const struct band *band, int width);

#endif
