/* From an errno of perf_event_open(2) to the cause and the remedy, found by looking: at what the
 * process may do, and in /proc and /sys. Two causes that cannot be told apart are both named. */
#ifndef EVENT_EXPLAIN_H
#define EVENT_EXPLAIN_H

#include "event/event.h"
#include "system/caps.h"

/* Sets the event's state and reason from the errno with which opening it failed. system_wide: it
 * was opened for a CPU and all its tasks. */
void explain_refusal(struct event *event, int error, bool system_wide, const struct caps *caps);

/* Sets the state and reason of a breakpoint on a machine where none ever fires. */
void explain_silence(struct event *event, const struct caps *caps);

/* "WHAT (perf_event_paranoid is 2): as root, run ...": the obstacle to what the kernel allows only
 * with perf_event_paranoid at most `enough` or CAP_PERFMON, and the remedy. The caller frees it. */
char *explain_permission(const char *what, int enough, const struct caps *caps);

/* The length of the cause in a reason, without its remedy: of what stands before the first colon or
 * semicolon. */
int explain_cause(const char *reason);

#endif
