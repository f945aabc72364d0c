/* The top of the screen: what is watched and how, its totals, what countertop costs; and meters:
 * bars, with a line of their history. */
#ifndef FRONT_TUI_PANE_HEADER_H
#define FRONT_TUI_PANE_HEADER_H

#include "front/tui/state/meters.h"
#include "front/tui/widget/layout.h"

/* Lines that there is something for at this width. */
int header_lines(const struct ui *ui, int width);
void header_draw(const struct ui *ui, const struct layout *layout); /* its header and meters */
/* How a command has ended, which counts of it are shown, and the session's notice; the caller frees
 * it. */
char *header_notice(const struct ui *ui);

/* The lines of meters that there is something for, at most a third of the height. */
int gauges_lines(const struct ui *ui, int width, int height);
/* Whether they show the value of a metric (NULL: busy) for the machine, as laid out. */
bool gauges_show(const struct ui *ui, const struct layout *layout, const struct metric *metric);
void gauges_draw(const struct ui *ui, const struct band *band, int width);

#endif
