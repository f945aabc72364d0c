/* The events that perf names alike on every machine: perf-list(1), and the names of
 * perf_event_open(2)'s PERF_TYPE_HARDWARE, PERF_TYPE_SOFTWARE and PERF_TYPE_HW_CACHE. */
#ifndef EVENT_GENERIC_H
#define EVENT_GENERIC_H

#include <stddef.h>
#include <stdint.h>

struct generic_event {
    const char *name;
    uint32_t type;
    uint64_t config;
};

/* All of them, synonyms too ("cycles", "cpu-cycles"), but of the cache events only the names that
 * `perf list` has; the last one has the name NULL. */
extern const struct generic_event generic_events[];

/* By any of perf's spellings: "l1d-read-miss" is L1-dcache-load-misses. NULL: no such name. */
const struct generic_event *generic_find(const char *name);

#endif
