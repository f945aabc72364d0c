/* The PMUs of this machine, from /sys/bus/event_source/devices. */
#ifndef EVENT_PMU_H
#define EVENT_PMU_H

#include "base/cpulist.h"
#include "base/err.h"
#include "event/names.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perf_event_attr;

/* The type number of a PMU by name; false when there is none of that name. */
bool pmu_type(const char *name, uint32_t *type);
/* The name of the PMU with that type, into buffer; false when there is none. */
bool pmu_name(uint32_t type, char *buffer, size_t size);
/* The PMU that counts the CPU's generic hardware events ("cpu", "armv8_pmuv3"...); false
 * without. */
bool pmu_core(char *buffer, size_t size);

/* Fills type and config* from the terms of `pmu/term=value,term,.../`: names of the PMU's events
 * directory, its format directory, and config, config1, config2. A format term without a value is
 * 1; of two values for the same bits the later one counts. -1 with a message, attr as it was. */
int pmu_encode(const char *pmu, const char *terms, struct perf_event_attr *attr, struct err *err);

/* What one count of the event among these terms is: unit gets its text ("" without one, the caller
 * frees it), scale what a count is to be multiplied with to be in that unit (1 without one): the
 * files NAME.unit and NAME.scale beside the event. */
void pmu_measure(const char *pmu, const char *terms, char **unit, double *scale);

/* Whether the PMU counts for several CPUs at once (a socket, its memory): fills cpus with those on
 * which it is to be counted, each for all of its kind, from its file cpumask. The caller releases
 * cpus, which is empty otherwise. */
bool pmu_cpumask(const char *pmu, struct cpulist *cpus);

/* The core PMUs, each for a core type, when there are several (cpu_core and cpu_atom;
 * big.LITTLE's): the one that pmu_core() names comes first. Fills names, which the caller releases;
 * empty on a machine with one core type. */
void pmu_core_types(struct names *names);
/* The CPUs of a core type, from its PMU's file cpus; the caller releases them. */
void pmu_cpus(const char *pmu, struct cpulist *cpus);

/* All PMUs, sorted. */
void pmu_list(struct names *names);
/* The PMUs that perf means by a name which none has: `uncore_imc` and `imc` are uncore_imc_0,
 * uncore_imc_1 ... */
void pmu_instances(const char *name, struct names *names);
bool pmu_has_event(const char *pmu, const char *event);

/* The names of a PMU's events (its events directory), sorted. Fills names, which the caller
 * releases; empty when there is no such PMU. */
void pmu_events(const char *pmu, struct names *names);
/* The terms that one of them stands for, "event=0x3c,umask=1" (cut to the buffer); false when there
 * is no such event. */
bool pmu_event_terms(const char *pmu, const char *event, char *buffer, size_t size);
/* The terms that the PMU itself has (its format directory), as pmu_events. */
void pmu_terms(const char *pmu, struct names *names);

#endif
