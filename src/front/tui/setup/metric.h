/* Prompts of the setup that make and edit metrics, and the events that these need. */
#ifndef FRONT_TUI_SETUP_METRIC_H
#define FRONT_TUI_SETUP_METRIC_H

#include "front/tui/setup/section.h"

void metric_edit(struct ui *ui);   /* a key: edits that of the column under the cursor */
void metric_new(struct ui *ui);    /* a key: asks for name, unit and expression */
void metric_undo(struct ui *ui);   /* removes all metrics made or edited here */
void metric_forget(struct ui *ui); /* frees the draft */

/* Events that are counted only because a metric added in the setup needs them. They are removed
 * when no column needs them. */

/* Call after the program added the events of that metric: remembers those that the frame does not
 * have yet. */
void setup_events_note(struct ui *ui, const char *metric);
void setup_events_prune(struct ui *ui);
void setup_events_release(struct ui *ui);

#endif
