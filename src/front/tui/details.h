/* The page of details: all that is told of one row, live, whatever becomes of it. */
#ifndef FRONT_TUI_DETAILS_H
#define FRONT_TUI_DETAILS_H

#include "front/tui/ui.h"

/* Of the row under the cursor, or the first one. */
void details_open(struct ui *ui);

extern const struct pane pane_details;

#endif
