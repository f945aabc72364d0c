/* Finds the cause of an errno of perf_event_open(2) and the remedy, from the process' rights and
 * from /proc and /sys. Names both of two causes that cannot be distinguished. */
#ifndef EVENT_EXPLAIN_H
#define EVENT_EXPLAIN_H

#include "event/event.h"
#include "system/caps.h"

/* Sets the event's state and reason from the errno with which opening it failed. system_wide: it
 * was opened for a CPU and all its tasks. */
void explain_refusal(struct event *event, int error, bool system_wide, const struct caps *caps);

/* Sets the state and reason of a probe where events are inherited: event_is_probe(). */
void explain_heir(struct event *event);

/* Sets the state and reason of a breakpoint on a machine where breakpoints never fire. */
void explain_silence(struct event *event, const struct caps *caps);

/* "WHAT (perf_event_paranoid is 2): as root, run ...": cause and remedy where the kernel requires
 * perf_event_paranoid to be at most `enough`, or CAP_PERFMON. The caller frees it. */
char *explain_permission(const char *what, int enough, const struct caps *caps);

/* "as root, run 'setcap cap_perfmon+ep FILE'": the one command that permits all that this program
 * counts, whatever perf_event_paranoid is. The caller frees it. */
char *explain_capability(const struct caps *caps);

/* The length of the cause in a reason, without the remedy: up to the first colon or semicolon. */
int explain_cause(const char *reason);

#endif
