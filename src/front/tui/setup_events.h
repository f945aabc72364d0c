/* Events that are counted since a metric which was added in the setup needs them: they are let go
 * of as soon as no column on show does. */
#ifndef FRONT_TUI_SETUP_EVENTS_H
#define FRONT_TUI_SETUP_EVENTS_H

#include <stddef.h>

struct ui;

struct setup_events {
    char **names;
    size_t count, room;
};

void setup_events_release(struct setup_events *events);

/* The events of that metric have been asked for: notes those that the frame on show has not. */
void setup_events_note(struct ui *ui, const char *metric);
void setup_events_prune(struct ui *ui);

#endif
