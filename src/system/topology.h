/* The processors of this machine. */
#ifndef SYSTEM_TOPOLOGY_H
#define SYSTEM_TOPOLOGY_H

#include "base/cpulist.h"

#include <stdbool.h>
#include <stddef.h>

/* CPUs online now (/sys/devices/system/cpu/online). */
int topology_online(struct cpulist *cpus, struct err *err);
/* The processor's name: "model name" of /proc/cpuinfo, or on Arm the name of its MIDR
 * ("Neoverse-N1"), or the machine's architecture. */
void topology_cpu_model(char *buffer, size_t size);

/* The PMU inside the cores, which counts the generic hardware events: "cpu", "armv8_pmuv3_0"; with
 * several core types the faster ones' ("cpu_core") or the first by name. False without. */
bool topology_core_pmu(char *buffer, size_t size);
/* Whether the PMU of that name (/sys/bus/event_source/devices) is one of the cores. */
bool topology_is_core_pmu(const char *name);

#endif
