/* What is sampled for the view of functions: the event of --sample, or one that fits the machine or
 * the column sorted by. */
#ifndef APP_SAMPLING_H
#define APP_SAMPLING_H

#include "sample/profile.h"

/* Samples a second and CPU of hardware events and clocks: no divisor of the clock's ticks. Of other
 * events, which the kernel counts itself, each is sampled unless a rate is given: to a rate it
 * adjusts their period so slowly that few samples stand for many events. */
enum { SAMPLING_RATE = 997 };

/* Adds the event of EVENT[/RATE] to the events to count, unless it is a clock: the time on CPUs is
 * known anyway. -1 with a message for a text that is no event. */
int sampling_count(struct event_list *list, const char *text, enum count_mode mode,
                   struct err *err);

/* The event that is sampled where the user chose none: cycles if they are counted, else the time on
 * CPUs. */
const char *sampling_default(const struct event_set *set);

/* What to sample: `text` is EVENT[/RATE]. Hardware events of the list that are counted are read
 * with each sample. -1 with a message and nothing to release. */
int sampling_make(struct sampling *sampling, const char *text, const struct event_list *events,
                  const struct event_set *set, enum count_mode mode, struct err *err);

#endif
