/* The system-wide source: on each CPU groups that contain context-switches with period 1, whose
 * samples carry all counts of the group; see engine/ledger.h. Needs CAP_PERFMON or
 * perf_event_paranoid < 1 (perf_event_open(2)). */
#ifndef ENGINE_CPU_ENGINE_H
#define ENGINE_CPU_ENGINE_H

#include "base/err.h"
#include "base/cpulist.h"
#include "sample/source.h"
#include "system/caps.h"

/* A source for the CPUs of the list, without events at first; with `others` CPUs that come online
 * later are counted, too. NULL with a message if system-wide counting is not possible. caps and the
 * list are copied. */
struct source *cpu_engine_new(const struct cpulist *cpus, bool others, const struct caps *caps,
                              uint64_t delay, struct err *err);

#endif
