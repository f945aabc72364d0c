/* Loads of CPUs made by hand. */
#ifndef UNIT_LOADS_H
#define UNIT_LOADS_H

#include "sample/load.h"

static inline struct cpu_load cpu_load_of(int cpu, uint64_t busy, uint64_t kernel, uint64_t total)
{
    struct cpu_load load = {.cpu = cpu};
    told_set(&load.told, CPU_BUSY, busy);
    told_set(&load.told, CPU_KERNEL, kernel);
    told_set(&load.told, CPU_TIME, total);
    return load;
}

#endif
