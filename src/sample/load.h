/* The load of the machine's CPUs, with tasks that are not watched: from /proc/stat, in clock ticks;
 * and what its tasks could not go on for, from /proc/pressure. */
#ifndef SAMPLE_LOAD_H
#define SAMPLE_LOAD_H

#include "system/proc_machine.h"

struct machine_pressure {
    uint64_t time; /* ns of which the others are parts; 0: nothing is known */
    struct pressure_time of[PRESSURES];
};

/* A cgroup, in an interval. */
struct cgroup_load {
    char *path;
    struct kernel_times kernel_times; /* by enum cgroup_kernel_time */
};

struct machine_load {
    size_t count, room;
    struct cpu_load *cpus; /* online CPUs, ascending */
    char *reason;          /* why nothing is known, one line; NULL: it is known */
    struct machine_pressure pressure;
    char *no_pressure; /* why that is not known, one line; NULL: it is known, or not recorded */
    size_t cgroup_count, cgroup_room;
    struct cgroup_load *cgroups; /* those of its tasks, while they are asked for; by path */
    bool has_average;            /* never in a recording */
    double average[3];           /* load averages over 1, 5 and 15 minutes */
};

void load_release(struct machine_load *load);                             /* empties it */
void load_copy(struct machine_load *to, const struct machine_load *from); /* `to` is empty */
/* Copies the reasons and the averages, not the CPUs and the pressure. */
void load_copy_machine(struct machine_load *to, const struct machine_load *from);

/* The entry of that CPU: NULL if there is none; load_of() adds a zeroed one. Valid until the next
 * is added. */
struct cpu_load *load_find(const struct machine_load *load, int cpu);
struct cpu_load *load_of(struct machine_load *load, int cpu);

/* The same for a cgroup. */
struct cgroup_load *load_find_cgroup(const struct machine_load *load, const char *path);
struct cgroup_load *load_of_cgroup(struct machine_load *load, const char *path);

/* The busy share, 0 to 1; -1: not known, also for NULL. */
double load_share(const struct cpu_load *cpu);
/* The same for all CPUs together; *cpus gets their number. */
double load_busy(const struct machine_load *load, size_t *cpus);
/* The share of time, 0 to 1, in which some tasks, or with full all, lacked that resource; -1: not
 * known. */
double load_pressure(const struct machine_load *load, enum pressure pressure, bool full);
/* Of what is wrong the head shows what is above that share. */
#define LOAD_SHOWN 0.01
/* Those above it, "cpu 98%, io 12% (all 3%)": by some tasks, in brackets by all; "": none. */
enum { PRESSURE_TEXT_SIZE = 80 };
void load_pressure_text(const struct machine_load *load, char *text, size_t size);
/* What has passed between two sums; the sum of two spans. */
struct machine_pressure pressure_between(const struct machine_pressure *before,
                                         const struct machine_pressure *now);
struct machine_pressure pressure_sum(const struct machine_pressure *a,
                                     const struct machine_pressure *b);
/* The share of time in the kernel, 0 to 1: of one CPU, of all CPUs; -1: not known. */
double load_kernel_share(const struct cpu_load *cpu);
double load_kernel(const struct machine_load *load);
/* The share of all CPUs' time that a hypervisor took for others; -1: not known. */
double load_steal(const struct machine_load *load);

#endif
