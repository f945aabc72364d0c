/* Whether events of the index can be counted on this machine, by trial at the first question, and
 * what counting another event would change. */
#ifndef APP_EVENT_AVAILABILITY_H
#define APP_EVENT_AVAILABILITY_H

#include "base/map.h"
#include "engine/group.h"
#include "event/event_index.h"
#include "sample/source.h"
#include "system/caps.h"

struct availability {
    struct event_index *index;
    struct event_index_search search;
    enum count_mode mode; /* of trials */
    struct group_target target;
    struct caps caps;
    struct map tried; /* obstacles, "": none, by hashes of events, or of tracepoints' subsystems */
    bool tracepoints; /* one that is like most could be counted */
    bool counters_known;
    size_t counters; /* of the core PMU; 0: none, or core types differ */
};

/* Trials use this mode, on a CPU for the engine 'cpu', else on a task. Builds the index. */
struct availability *availability_new(enum count_mode mode, bool system_wide);
void availability_free(struct availability *availability); /* NULL is fine */

/* Why the entry cannot be counted; NULL if it can, or is a spelling other than those of
 * breakpoints. To open and to close a tracepoint the kernel changes its code and waits for all
 * CPUs. So one tracepoint of each subsystem is tried for all of them: permissions are the same. */
const char *availability_obstacle(struct availability *availability, size_t entry);

/* The same for the first event of a list like "cycles, r0529" that cannot be counted. */
const char *availability_of_names(struct availability *availability, const char *names);

/* Calls tell with all facts about an entry: "encoding" as the kernel gets it, and those of
 * event_index_explain(). */
void availability_explain(struct availability *availability, size_t entry,
                          void (*tell)(void *to, const char *what, const char *text), void *to);

/* Says whether the last event of `after` fits on the counters beside those of `before`, or is
 * multiplexed: "fits: 3 of 6 counters used". The caller frees it. */
char *availability_fit(struct availability *availability, const struct event_set *before,
                       const struct event_set *after);

#endif
