/* The processors of this machine. */
#ifndef SYSTEM_TOPOLOGY_H
#define SYSTEM_TOPOLOGY_H

#include "base/cpulist.h"

#include <stdbool.h>
#include <stddef.h>

/* CPUs online now (/sys/devices/system/cpu/online). */
int topology_online(struct cpulist *cpus, struct err *err);
/* The same for who asks again and again: from what topology_keep_online has opened (-1 with errno;
 * the caller closes it). */
int topology_keep_online(void);
int topology_online_again(int fd, struct cpulist *cpus, struct err *err);
/* Where a CPU is (Documentation/admin-guide/cputopology.rst): the numbers of its package and of its
 * core in that, and the type of the core: its name on Arm ("Cortex-A55"), else the PMU of its type
 * where there are several ("cpu_atom"), else "cpu". -1 with errno where sysfs has no such CPU;
 * a number that it does not tell is -1. */
struct topology_place {
    int socket, core;
    char type[32];
};
int topology_place(int cpu, struct topology_place *place);
/* The processor's name: "model name" of /proc/cpuinfo, or on Arm the name of its MIDR
 * ("Neoverse-N1"), or the machine's architecture. */
void topology_cpu_model(char *buffer, size_t size);

/* What the processor calls itself, as perf's lists of events have it (mapfile.csv):
 * "GenuineIntel-6-8F", vendor, family and in hex model; on Arm its name as above; else "". */
void topology_cpu_id(char *buffer, size_t size);
/* The clock that the first CPU is sold with, GHz; 0 where the machine does not say. */
double topology_nominal_ghz(void);

/* The PMU inside the cores, which counts the generic hardware events: "cpu", "armv8_pmuv3_0"; with
 * several core types the faster ones' ("cpu_core") or the first by name. False without. */
bool topology_core_pmu(char *buffer, size_t size);
/* Whether the PMU of that name (/sys/bus/event_source/devices) is one of the cores. */
bool topology_is_core_pmu(const char *name);

#endif
