/* The machine's times and loads in /proc. */
#ifndef SYSTEM_PROC_MACHINE_H
#define SYSTEM_PROC_MACHINE_H

#include "base/err.h"
#include "system/kernel_times.h"

#include <stdbool.h>
#include <stdint.h>

/* Times of a CPU, by enum cpu_kernel_time. */
struct cpu_load {
    int cpu;
    bool again; /* the times of an earlier interval: this one was too short for clock ticks */
    struct kernel_times kernel_times;
};

/* The machine: calls back with each online CPU of /proc/stat and its times since the machine
 * started; and with each CPU of /proc/schedstat, if there is one, and its CPU_QUEUE alone. *file:
 * -1 at first, then the descriptor of that file, which the caller closes. -1 with a message if it
 * cannot be read. */
int procfs_each_cpu(int *file, void (*each)(void *ctx, const struct cpu_load *cpu), void *ctx,
                    struct err *err);
int procfs_each_queue(int *file, void (*each)(void *ctx, const struct cpu_load *cpu), void *ctx,
                      struct err *err);
/* Pressure stall information of the machine (Documentation/accounting/psi.rst): ns since it started
 * in which some tasks, or all that were not idle, could not go on for lack of a resource. */
enum pressure { PRESSURE_CPU, PRESSURE_MEMORY, PRESSURE_IO, PRESSURES };

struct pressure_time {
    uint64_t some, full; /* full of CPUs is not defined for the machine, and 0 */
};

extern const char *const pressure_names[PRESSURES]; /* "cpu", "memory", "io" */

/* files: -1 at first, then open, as above. -1 with a message if the kernel does not tell. */
int procfs_pressure(int files[PRESSURES], struct pressure_time times[PRESSURES], struct err *err);
/* From the text of such a file: its totals, ns; full is 0 where it has no such line. False: it has
 * none. */
bool procfs_parse_pressure(const char *text, struct pressure_time *time);
/* The first number of a line of /proc/stat, which begins with that key (proc_stat(5)): "intr" for
 * the interrupts of all CPUs since the machine started, "ctxt" for their context switches. False if
 * the file cannot be read, or has no such line after its first one. */
bool procfs_machine_count(const char *key, uint64_t *count);
/* Load averages of the machine over the last 1, 5 and 15 minutes (proc_loadavg(5)); *file as above;
 * false if they cannot be read. */
bool procfs_load_average(int *file, double average[3]);

#endif
