/* Times that the kernel keeps of a CPU or a cgroup, beside what is counted: ns, cumulative or of an
 * interval. */
#pragma once

#include "base/base.h"

/* Of a CPU. From /proc/stat in clock ticks (proc_stat(5)), and the last from /proc/schedstat
 * (Documentation/scheduler/sched-stats.rst), where the kernel has that file. */
enum cpu_kernel_time {
    CPU_TIME,   /* of which the others are parts; 0: nothing is known */
    CPU_BUSY,   /* neither idle nor waiting for I/O, with the time that a hypervisor took */
    CPU_KERNEL, /* of these: in the kernel, with interrupts */
    CPU_STEAL,  /* the hypervisor ran others */
    CPU_IRQ,
    CPU_SOFTIRQ,
    CPU_QUEUE, /* of all tasks: able to run, and had to wait; up to their last return to a CPU */
    CPU_TIMES
};

/* Of a cgroup, with those below it: from its cpu.stat (Documentation/admin-guide/cgroup-v2.rst, or
 * of version 1 scheduler/sched-bwc.rst), and its files *.pressure (accounting/psi.rst). */
enum cgroup_kernel_time {
    CGROUP_TIME, /* in which the others passed */
    /* Of each CPU: in which cpu.max, of it or of one above it, kept it from running on. */
    CGROUP_THROTTLED,
    CGROUP_THROTTLES, /* times (not ns) that cpu.max was used up, likewise */
    /* In which some of its tasks could not go on for lack of a CPU; the next one: in which none
     * could; then such a pair for each further one of enum pressure. */
    CGROUP_PRESSURE,
    CGROUP_TIMES = CGROUP_PRESSURE + 6
};

enum { KERNEL_TIMES_MAX = 16 };

struct kernel_times {
    unsigned known; /* bit n: time[n] is known */
    unsigned parts; /* of a sum: the number of parts that were added */
    uint64_t time[KERNEL_TIMES_MAX];
};

/* A time's names. */
struct kernel_time_name {
    const char *column;   /* in recordings, and in JSON */
    const char *variable; /* in expressions, seconds; NULL: none */
    const char *text;     /* its meaning; NULL: it is not written by itself */
};

extern const struct kernel_time_name kernel_times_of_cpu[CPU_TIMES];
extern const struct kernel_time_name kernel_times_of_cgroup[CGROUP_TIMES];

/* Reads a time by its number; false if it is not known. */
bool kernel_times_get(const struct kernel_times *times, size_t i, uint64_t *time);
void kernel_times_set(struct kernel_times *times, size_t i, uint64_t time);
/* Copies the known times of `other` whose bits are set in the mask. */
void kernel_times_merge(struct kernel_times *times, const struct kernel_times *other,
                        unsigned mask);
/* The difference of two cumulative times: known where both are. */
struct kernel_times kernel_times_between(const struct kernel_times *before,
                                         const struct kernel_times *now);
/* Adds a part to a sum, zeroed before the first one: known where all parts are. */
void kernel_times_add(struct kernel_times *sum, const struct kernel_times *part);
/* time[part] / time[whole]; and the share of a CPU's time (CPU_TIME), at most 1. -1: not known. */
double kernel_times_ratio(const struct kernel_times *times, size_t part, size_t whole);
double kernel_times_share(const struct kernel_times *times, size_t part);

/* Times of a CPU, by enum cpu_kernel_time. */
struct cpu_load {
    int cpu;
    bool again; /* the times of an earlier interval: this one was too short for clock ticks */
    struct kernel_times kernel_times;
};

/* The first calls `each` with every online CPU of /proc/stat and its times since the machine
 * started; the second with every CPU of /proc/schedstat and its CPU_QUEUE alone. *file is -1 at
 * first, then the descriptor of that file, which the caller closes. -1 with a message if the file
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

/* Reads the pressure of the machine. files: -1 at first, then descriptors that the caller closes.
 * -1 with a message if the kernel has no such files. */
int procfs_pressure(int files[PRESSURES], struct pressure_time times[PRESSURES], struct err *err);
/* From the text of such a file: its totals, ns; full is 0 where it has no such line. False: it has
 * none. */
bool procfs_parse_pressure(const char *text, struct pressure_time *time);
/* The first number of a line of /proc/stat, which begins with that key (proc_stat(5)): "intr" for
 * the interrupts of all CPUs since the machine started, "ctxt" for their context switches. False if
 * the file cannot be read, or has no such line after its first one. */
bool procfs_machine_count(const char *key, uint64_t *count);
/* Reads the load averages of the machine over the last 1, 5 and 15 minutes (proc_loadavg(5)). *file
 * is -1 at first, then a descriptor that the caller closes. False if they cannot be read. */
bool procfs_load_average(int *file, double average[3]);
