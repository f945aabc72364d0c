/* Whether the events of the index can be counted here, which is tried when first asked, and what
 * counting one beside others would mean. */
#ifndef APP_EVENT_AVAILABILITY_H
#define APP_EVENT_AVAILABILITY_H

#include "engine/group.h"
#include "event/event_index.h"
#include "sample/source.h"

struct availability;

/* Events are tried in that mode, for the engine 'cpu' on a CPU, else for a task. Builds the index.
 */
struct availability *availability_new(enum count_mode mode, bool system_wide);
void availability_free(struct availability *availability); /* NULL is fine */

const struct event_index *availability_index(const struct availability *availability);
/* The numbers of the entries that contain all the words, in *found until the next call. */
size_t availability_find(struct availability *availability, const char *words,
                         const size_t **found);

/* Why the entry cannot be counted; NULL where it can, or is a spelling other than the breakpoints'.
 * To open a tracepoint the kernel changes its own code and waits for all CPUs to see it, and again
 * to close it; so one of each subsystem is tried, and speaks for the others, which the kernel
 * allows to the same users. */
const char *availability_obstacle(struct availability *availability, size_t entry);

/* All facts about an entry: "encoding" as the kernel gets it, and those of event_index_explain().
 */
void availability_explain(struct availability *availability, size_t entry,
                          void (*tell)(void *to, const char *what, const char *text), void *to);

/* Tells whether the last event of `after` takes its turn with others on the counters, or fits
 * beside those of `before`: "fits: 3 of 6 counters used". The caller frees it. */
char *availability_fit(struct availability *availability, const struct event_set *before,
                       const struct event_set *after);

#endif
