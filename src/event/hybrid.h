/* Machines with several core types, each with a PMU of its own: Intel's cpu_core and cpu_atom,
 * Arm's big.LITTLE. */
#ifndef EVENT_HYBRID_H
#define EVENT_HYBRID_H

#include "event/event.h"

/* Sets the event's variants, and its attr to the first: one for each core type when `each` (a
 * generic event, a raw code), else only that of its own PMU. Does nothing on a machine with one
 * core type, or if no core PMU counts the event. */
void hybrid_settle(struct event *event, bool each);

/* Fills cpus with one CPU of each core type for which these events (indices into the list) have
 * variants: a group that fits one type's counters may not fit another's. Empty if no event has
 * variants. The caller releases cpus. */
void hybrid_cores(const struct event_list *list, const size_t *events, size_t count,
                  struct cpulist *cpus);

#endif
