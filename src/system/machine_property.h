/* The properties of this machine that perf's expressions of metrics call #NAME
 * (tools/perf/util/tool_pmu.c and expr.c of the kernel's sources). */
#ifndef SYSTEM_MACHINE_PROPERTY_H
#define SYSTEM_MACHINE_PROPERTY_H

#include <stdbool.h>

/* The value of smt_on, core_wide, num_cpus, num_cpus_online, num_cores, num_packages, slots,
 * system_tsc_freq or has_pmem, in any case; false if the name or the value is not known. core_wide:
 * whether the counts of a row are those of whole cores, which is so without hardware threads. */
bool machine_property(const char *name, double *value);

#endif
