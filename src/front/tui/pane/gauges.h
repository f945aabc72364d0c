/* Draws the meters of the header: bars and their history. */
#ifndef FRONT_TUI_PANE_GAUGES_H
#define FRONT_TUI_PANE_GAUGES_H

#include "front/tui/state/meters.h"

/* Number of lines wanted, at most a third of the height. */
int gauges_lines(const struct ui *ui, int width, int height);
/* Whether the meters, as laid out, show that metric (NULL: busy time) for the whole machine. */
bool gauges_show(const struct ui *ui, const struct layout *layout, const struct metric *metric);
void gauges_draw(const struct ui *ui, const struct band *band, int width);

#endif
