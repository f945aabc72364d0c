/* The chart: histories of up to four metrics, of the machine or of the followed row, one below the
 * other, over the lower half of the screen or all of it. A cursor reads the values of an
 * interval. */
#ifndef FRONT_TUI_PANE_CHART_H
#define FRONT_TUI_PANE_CHART_H

#include "front/tui/state/pane.h"
#include "front/tui/state/state.h"

extern const struct pane pane_chart;

void chart_open(struct ui *ui); /* of the row under the cursor, else of the machine */
void chart_release(struct ui *ui);

#endif
