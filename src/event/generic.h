/* The events that have the same names on every machine: perf-list(1), and perf_event_open(2)'s
 * PERF_TYPE_HARDWARE, PERF_TYPE_SOFTWARE and PERF_TYPE_HW_CACHE. */
#ifndef EVENT_GENERIC_H
#define EVENT_GENERIC_H

#include <stddef.h>
#include <stdint.h>

struct generic_event {
    const char *name;
    uint32_t type;
    uint64_t config;
    const char *text; /* its meaning; NULL: a synonym, or a cache event */
};

/* All of them with synonyms ("cycles", "cpu-cycles"); cache events only by the names of `perf
 * list`. The last entry has the name NULL. */
extern const struct generic_event generic_events[];

/* By any of perf's spellings: "l1d-read-miss" is L1-dcache-load-misses. NULL: no such name. */
const struct generic_event *generic_find(const char *name);

/* The meaning of an event of the list, in a few words, from perf_event_open(2). The caller frees
 * it. */
char *generic_text(const struct generic_event *event);

#endif
