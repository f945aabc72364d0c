/* Signals to the processes of rows: a list of signals, then a question that names who is meant. */
#ifndef FRONT_TUI_KILL_H
#define FRONT_TUI_KILL_H

#include "front/tui/ui.h"

/* To the tagged rows, else to the one under the cursor; a thread's is its process. They are held
 * from here on, so that what the question names is what the signal reaches. */
void kill_open(struct ui *ui);

extern const struct pane pane_signals;
extern const struct pane pane_confirm;

#endif
