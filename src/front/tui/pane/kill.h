/* Sends signals to the processes of rows: first a list of signals, then a confirmation that names
 * the processes. */
#ifndef FRONT_TUI_PANE_KILL_H
#define FRONT_TUI_PANE_KILL_H

#include "front/tui/state/pane.h"

/* A key: for the tagged rows, else the row under the cursor; for a thread, its process. The
 * processes are held while the list is open, so that exactly the named processes get the signal. */
void kill_open(struct ui *ui);

extern const struct pane pane_signals, pane_confirm;

#endif
