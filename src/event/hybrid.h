/* Machines with several core types, each with a PMU of its own: Intel's cpu_core and cpu_atom,
 * Arm's big.LITTLE. */
#ifndef EVENT_HYBRID_H
#define EVENT_HYBRID_H

#include "event/event.h"

/* Gives the event its variants, and attr the settings of the first: one for each core type when
 * `each` (a generic event, a raw code), else only that of its own PMU.
 * Nothing on a machine with one core type, or with an event that no core PMU counts. */
void hybrid_settle(struct event *event, bool each);

/* Fills cpus with one CPU for each core type that these events (indices into the list) tell apart:
 * what fits the counters of one need not fit those of another. Empty where they make no difference.
 * The caller releases cpus. */
void hybrid_cores(const struct event_list *list, const size_t *events, size_t count,
                  struct cpulist *cpus);

#endif
