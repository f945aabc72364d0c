/* Signals to the processes of rows: a list of signals, then a question that names the processes. */
#ifndef FRONT_TUI_PANE_KILL_H
#define FRONT_TUI_PANE_KILL_H

#include "front/tui/state/pane.h"

/* A key: to the tagged rows, else to the one under the cursor; for a thread, to its process. The
 * processes are held from here on, so that the signal reaches those that the question names. */
void kill_open(struct ui *ui);

extern const struct pane pane_signals, pane_confirm;

#endif
