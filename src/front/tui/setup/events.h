/* Events that are counted only because a metric which was added in the setup needs them: they are
 * removed as soon as no column does. */
#ifndef FRONT_TUI_SETUP_EVENTS_H
#define FRONT_TUI_SETUP_EVENTS_H

#include "front/tui/state/state.h"

/* The program has added the events of that metric: notes those that the frame does not have yet. */
void setup_events_note(struct ui *ui, const char *metric);
void setup_events_prune(struct ui *ui);
void setup_events_release(struct ui *ui);

#endif
