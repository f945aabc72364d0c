/* The processors of this machine. */
#ifndef SYSTEM_TOPOLOGY_H
#define SYSTEM_TOPOLOGY_H

#include "base/cpulist.h"

#include <stddef.h>

/* CPUs online now (/sys/devices/system/cpu/online). */
int topology_online(struct cpulist *cpus, struct err *err);
/* The processor's name: "model name" of /proc/cpuinfo, or on Arm the name of its MIDR
 * ("Neoverse-N1"), or the machine's architecture. */
void topology_cpu_model(char *buffer, size_t size);

#endif
