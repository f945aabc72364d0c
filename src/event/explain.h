/* From an errno of perf_event_open(2) to the cause and the remedy, found by looking. */
#ifndef EVENT_EXPLAIN_H
#define EVENT_EXPLAIN_H

#include "event/event.h"
#include "system/caps.h"

/* Sets the event's state and reason from the errno with which opening it failed. system_wide: it
 * was opened for a CPU and all its tasks. */
void explain_refusal(struct event *event, int error, bool system_wide, const struct caps *caps);

#endif
