/* The PMUs of this machine, from /sys/bus/event_source/devices. */
#ifndef EVENT_PMU_H
#define EVENT_PMU_H

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

/* The names of a PMU's events (its events directory), sorted. Fills names, which the caller
 * releases; empty when there is no such PMU. */
void pmu_events(const char *pmu, struct names *names);

#endif
