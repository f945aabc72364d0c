/* The system-wide source: on each CPU groups with context-switches of period 1 in them, whose
 * samples carry all counts of the group; see shared design, "The system-wide engine". Needs
 * CAP_PERFMON or perf_event_paranoid < 1 (perf_event_open(2)). */
#ifndef ENGINE_CPU_ENGINE_H
#define ENGINE_CPU_ENGINE_H

#include "base/err.h"
#include "base/cpulist.h"
#include "sample/source.h"
#include "system/caps.h"

/* A source for the CPUs of the list, without events as yet; others that come online later are
 * counted too when `others` is set. NULL with a message where system-wide counting is not possible
 * here. caps and the list are copied. */
struct source *cpu_engine_new(const struct cpulist *cpus, bool others, const struct caps *caps,
                              uint64_t delay, struct err *err);

#endif
