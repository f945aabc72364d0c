/* Loads of CPUs made by hand. */
#pragma once

#include "sample/load.h"

static inline struct cpu_load cpu_load_of(int cpu, uint64_t busy, uint64_t kernel, uint64_t total)
{
    struct cpu_load load = {.cpu = cpu};
    kernel_times_set(&load.kernel_times, CPU_BUSY, busy);
    kernel_times_set(&load.kernel_times, CPU_KERNEL, kernel);
    kernel_times_set(&load.kernel_times, CPU_TIME, total);
    return load;
}
