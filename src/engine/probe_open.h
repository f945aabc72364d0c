/* Finds out what can be counted, by opening and closing events. */
#ifndef ENGINE_PROBE_OPEN_H
#define ENGINE_PROBE_OPEN_H

#include "engine/group.h"
#include "sample/source.h"
#include "system/caps.h"

/* caps_read(), and the fields about perf_event_open(2). */
void probe_open_caps(struct caps *caps);

/* Why the event cannot be counted in that mode for that target: one sentence, which the caller
 * frees. NULL if it can. */
char *probe_open_reason(const char *event, enum count_mode mode, struct group_target target,
                        const struct caps *caps);

/* The same for breakpoints, tried on countertop's own memory. */
char *probe_open_breakpoint(enum count_mode mode, struct group_target target,
                            const struct caps *caps);

/* How many hardware events a core PMU counts at the same time. */
struct probe_open_counters {
    size_t all;  /* largest group that the kernel accepts */
    size_t free; /* largest group that counts: the NMI watchdog and other profilers use the rest */
};

/* pmu: a core PMU, or NULL if there is only one. The calling thread counts itself, on a CPU with
 * this PMU. */
struct probe_open_counters probe_open_counters(const char *pmu, const struct caps *caps);
/* `all` of the core PMU; 0 if there is none or core types have different PMUs. */
size_t probe_open_core_counters(const struct caps *caps);

#endif
