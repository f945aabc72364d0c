/* The PMUs of this machine, from /sys/bus/event_source/devices. A PMU has the events of its events
 * directory, and those that event files have for it (event/event_table.h). */
#pragma once

#include "base/base.h"
#include "base/cpulist.h"

struct perf_event_attr;

/* The type number of a PMU by name; false if there is no such PMU. */
bool pmu_type(const char *name, uint32_t *type);
/* Writes the name of the PMU with that type into buffer; false if there is none. */
bool pmu_name(uint32_t type, char *buffer, size_t size);
/* Reads a raw code: 1 to 16 hexadecimal digits to the end of the text. */
bool pmu_raw_code(const char *digits, uint64_t *code);

/* Fills type and config* from the terms of `pmu/term=value,term,.../`: names of the PMU's events
 * directory, its format directory, and config, config1, config2. A format term without a value is
 * 1; the last of several values for the same bits counts. -1 with a message and attr unchanged;
 * then errno is ENOENT if the PMU has no term of that name, nor one like it, and ENOTSUP if it has
 * no term that an event needs. */
int pmu_encode(const char *pmu, const char *terms, struct perf_event_attr *attr, struct err *err);

/* The unit of the event among these terms ("" if it has none; the caller frees it), and the factor
 * from a count to that unit (else 1): the files NAME.unit and NAME.scale beside the event. */
void pmu_measure(const char *pmu, const char *terms, char **unit, double *scale);

/* The CPUs in a file of the PMU, which the caller releases; false and none if it has no such file.
 * "cpumask": it counts for several CPUs at once (a socket, its memory); one CPU for each of these
 * sets. "cpus": those of a core type. */
bool pmu_cpus(const char *pmu, const char *file, struct cpulist *cpus);

/* Fills names with the core PMUs if there are several, one for each core type (cpu_core and
 * cpu_atom; big.LITTLE's), the one of topology_core_pmu() first; else empty. The caller releases
 * names. */
void pmu_core_types(struct names *names);

/* All PMUs, sorted. */
void pmu_list(struct names *names);
/* The PMUs that perf matches with a name that is no PMU's: `uncore_imc` and `imc` match
 * uncore_imc_0, uncore_imc_1 ... */
void pmu_instances(const char *name, struct names *names);
bool pmu_has_event(const char *pmu, const char *event);

/* Adds the names in a directory of the PMU, its "events" or its own terms, the "format", sorted;
 * none if there is no such PMU. */
void pmu_names(const char *pmu, const char *sub, struct names *names);
/* The terms of an event, "event=0x3c,umask=1" (cut to the buffer); false if there is no such
 * event. */
bool pmu_event_terms(const char *pmu, const char *event, char *buffer, size_t size);
