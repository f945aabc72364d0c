/* Metrics as they are made and edited in the setup of columns, with prompts. */
#ifndef FRONT_TUI_SETUP_METRIC_H
#define FRONT_TUI_SETUP_METRIC_H

#include "front/tui/setup.h"

void setup_metric_edit(struct ui *ui); /* that of the column under the cursor */
void setup_metric_new(struct ui *ui);  /* asks for name, unit and expression */
void setup_metric_undo(struct ui *ui); /* all that was made and edited so */
void setup_metric_forget(struct ui *ui);

#endif
