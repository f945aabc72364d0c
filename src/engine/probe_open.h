/* What can be counted here, found by trial: all that is opened is closed again. */
#ifndef ENGINE_PROBE_OPEN_H
#define ENGINE_PROBE_OPEN_H

#include "engine/group.h"
#include "sample/source.h"
#include "system/caps.h"

/* caps_read(), and whether perf_event_open(2) is of any use. */
void probe_open_caps(struct caps *caps);

/* Why the event of that name cannot be counted in that mode for that target: one sentence, which
 * the caller frees. NULL where it can. */
char *probe_open_reason(const char *event, enum count_mode mode, struct group_target target,
                        const struct caps *caps);

/* The same for breakpoints, tried with one on memory of our own. */
char *probe_open_breakpoint(enum count_mode mode, struct group_target target,
                            const struct caps *caps);

/* How many hardware events a core PMU counts at the same time. */
struct probe_open_counters {
    size_t all; /* that the kernel accepts as one group */
    size_t
        free; /* that really count together: the NMI watchdog and other profilers hold the rest */
};

/* pmu: a core PMU, or NULL where there is only one. The calling thread counts itself, on a CPU that
 * has this PMU. */
struct probe_open_counters probe_open_counters(const char *pmu, const struct caps *caps);
/* Those of the core PMU, the ones in use too; 0 where cores have different ones, or none. */
size_t probe_open_core_counters(const struct caps *caps);

#endif
