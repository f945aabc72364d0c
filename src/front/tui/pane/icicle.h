/* The stacks of the samples as a picture: a line for each depth, the outermost function at the top,
 * boxes as wide as their share, in the colour of their object or of their IPC. */
#ifndef FRONT_TUI_PANE_ICICLE_H
#define FRONT_TUI_PANE_ICICLE_H

#include "front/tui/state/pane.h"
#include "front/tui/state/state.h"

/* Opens it: in a view of functions for what that is about, else for the row under the cursor, as
 * functions_open() does. */
void icicle_open(struct ui *ui);
extern const struct pane pane_icicle;

/* Call when a frame has come: names may have been found meanwhile. Whether it waits for some. */
bool icicle_follow(struct ui *ui);
void icicle_release(struct ui *ui);

#endif
