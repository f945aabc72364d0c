/* Metrics as they are made and edited in the setup with prompts, and the events that they need. */
#ifndef FRONT_TUI_SETUP_METRIC_H
#define FRONT_TUI_SETUP_METRIC_H

#include "front/tui/setup/section.h"

void metric_edit(struct ui *ui);   /* a key: that of the column under the cursor */
void metric_new(struct ui *ui);    /* a key: asks for name, unit and expression */
void metric_undo(struct ui *ui);   /* removes all that was made and edited so */
void metric_forget(struct ui *ui); /* frees the draft */

/* Events that are counted only because a metric which was added in the setup needs them: they are
 * removed as soon as no column does. */

/* The program has added the events of that metric: notes those that the frame does not have yet. */
void setup_events_note(struct ui *ui, const char *metric);
void setup_events_prune(struct ui *ui);
void setup_events_release(struct ui *ui);

#endif
