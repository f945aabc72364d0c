/* Generic events with two names in perf; a metric finds its events under both. Case makes no
 * difference, as in libpfm4 and event files. */
#ifndef METRIC_ALIAS_H
#define METRIC_ALIAS_H

#include "sample/snapshot.h"

/* Whether both name the same event: the same word, or aliases. */
bool alias_same(const char *a, const char *b);

/* Index of the event with this name, else of one with an alias of it; -1 if there is none. */
int alias_find(const struct event_set *set, const char *name);

#endif
