/* What this process may count, and what stands in the way. */
#ifndef SYSTEM_CAPS_H
#define SYSTEM_CAPS_H

#include <stdbool.h>
#include <stddef.h>

enum { CAPS_PARANOID_UNKNOWN = 99 }; /* allows nothing */

struct caps {
    int paranoid;      /* /proc/sys/kernel/perf_event_paranoid; 99: not readable */
    bool perfmon;      /* effective CAP_PERFMON or CAP_SYS_ADMIN */
    bool ptrace;       /* effective CAP_SYS_PTRACE */
    bool hypervisor;   /* the processor says it is virtual, or DMI does */
    bool core_pmu;     /* a PMU for hardware events is registered */
    size_t descriptors; /* RLIMIT_NOFILE, soft */
};

void caps_read(struct caps *caps);
bool caps_system_wide(const struct caps *caps); /* may count all tasks of a CPU (pid = -1) */
bool caps_kernel(const struct caps *caps);      /* may count in kernel mode */

#endif
