/* Metrics as they are made and edited in the setup of columns, with prompts. */
#ifndef FRONT_TUI_SETUP_METRIC_H
#define FRONT_TUI_SETUP_METRIC_H

#include "front/tui/setup/section.h"

void metric_edit(struct ui *ui);   /* a key: that of the column under the cursor */
void metric_new(struct ui *ui);    /* a key: asks for name, unit and expression */
void metric_undo(struct ui *ui);   /* removes all that was made and edited so */
void metric_forget(struct ui *ui); /* frees the draft */

#endif
