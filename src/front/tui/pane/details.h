/* Details: all values of one row with their histories. They go on while the row exists and remain
 * when it has ended. */
#ifndef FRONT_TUI_PANE_DETAILS_H
#define FRONT_TUI_PANE_DETAILS_H

#include "front/tui/state/pane.h"
#include "view/detail.h"

/* The followed row's facts: "ended: make  PID 1234  USER root ..." */
void details_title(const struct detail *detail, char *text, size_t size);
void details_open(struct ui *ui); /* a key: of the row under the cursor, or the first */

extern const struct pane pane_details;

#endif
