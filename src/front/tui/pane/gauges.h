/* Draws the meters of the header: bars, and the line of their history. */
#ifndef FRONT_TUI_PANE_GAUGES_H
#define FRONT_TUI_PANE_GAUGES_H

#include "front/tui/state/meters.h"

/* Lines that there is something for, at most a third of the height. */
int gauges_lines(const struct ui *ui, int width, int height);
/* Whether they show the value of a metric (NULL: busy) for the machine, as laid out. */
bool gauges_show(const struct ui *ui, const struct layout *layout, const struct metric *metric);
void gauges_draw(const struct ui *ui, const struct band *band, int width);

#endif
