/* How the engines know what threads do on no CPU (event/scheduler.h). */
#ifndef ENGINE_WAKEUPS_H
#define ENGINE_WAKEUPS_H

#include "event/event.h"
#include "system/caps.h"

/* Whether a list has an event that perf does not count, and that can be known as yet. */
bool wakeups_wanted(const struct event_list *list);

/* The number of the tracepoint of wake-ups, if it can be counted on that CPU and its records have
 * the form that engine/decode.h expects; else 0 and *why: state and reason of an event that needs
 * it. The caller frees the reason. */
uint64_t wakeups_tracepoint(int cpu, const struct caps *caps, struct event *why);

/* Set the state and reason of those events in a list that cannot be known: by the records of all
 * CPUs, with the answer of wakeups_tracepoint(); and by /proc alone. */
void wakeups_judge_records(struct event_list *list, uint64_t tracepoint, const struct event *why);
void wakeups_judge_proc(struct event_list *list);

#endif
