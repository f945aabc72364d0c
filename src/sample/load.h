/* The load of the whole machine, with tasks that are not watched: how busy its CPUs are, from
 * /proc/stat, in clock ticks; and how long its tasks could not go on for lack of a resource
 * (pressure stall information), from /proc/pressure. In a snapshot the times are sums since
 * counting began, in a frame those of the interval. All shares are 0 to 1, or -1 where nothing is
 * known. */
#pragma once

#include "system/kernel_times.h"

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

/* load_find() returns the entry of a CPU, or NULL; load_of() adds a zeroed one if there is none.
 * The pointer is valid until an entry is added. */
struct cpu_load *load_find(const struct machine_load *load, int cpu);
struct cpu_load *load_of(struct machine_load *load, int cpu);

/* The same for a cgroup, by its path. */
struct cgroup_load *load_find_cgroup(const struct machine_load *load, const char *path);
struct cgroup_load *load_of_cgroup(struct machine_load *load, const char *path);

/* The busy share of a CPU; -1 also for NULL. */
double load_share(const struct cpu_load *cpu);
/* The share of all CPUs' time that they spent busy, in the kernel ..., or that a hypervisor took;
 * *cpus (NULL: not wanted) receives the number of those of which it is known. */
double load_mean(const struct machine_load *load, enum cpu_kernel_time time, size_t *cpus);
/* The share of time in which some tasks, or with `full` all of them, lacked that resource. */
double load_pressure(const struct machine_load *load, enum pressure pressure, bool full);
/* The header shows a pressure above this share. */
#define LOAD_SHOWN 0.01
/* Writes the pressures above LOAD_SHOWN: "cpu 98%, io 12% (all 3%)", of some tasks, and in brackets
 * of all; "" if there are none. */
enum { PRESSURE_TEXT_SIZE = 80 };
void load_pressure_text(const struct machine_load *load, char *text, size_t size);
/* The difference of two sums since the start of the machine; the sum of two intervals. */
struct machine_pressure pressure_between(const struct machine_pressure *before,
                                         const struct machine_pressure *now);
struct machine_pressure pressure_sum(const struct machine_pressure *a,
                                     const struct machine_pressure *b);
