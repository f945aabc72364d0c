/* The load of the machine's CPUs, with tasks that are not watched: from /proc/stat, in clock
 * ticks. */
#ifndef SAMPLE_LOAD_H
#define SAMPLE_LOAD_H

#include "system/procfs.h"

struct machine_load {
    size_t count, room;
    struct cpu_load *cpus; /* online CPUs, ascending */
    char *reason;          /* why nothing is known, one line; NULL: it is known */
    bool has_average;      /* never in a recording */
    double average[3];     /* load averages over 1, 5 and 15 minutes */
};

void load_release(struct machine_load *load);                             /* empties it */
void load_copy(struct machine_load *to, const struct machine_load *from); /* `to` is empty */
/* Copies the reason and the averages, not the CPUs. */
void load_copy_machine(struct machine_load *to, const struct machine_load *from);

/* The entry of that CPU: NULL if there is none; load_of() adds a zeroed one. Valid until the next
 * is added. */
struct cpu_load *load_find(const struct machine_load *load, int cpu);
struct cpu_load *load_of(struct machine_load *load, int cpu);

/* The busy share, 0 to 1; -1: not known, also for NULL. */
double load_share(const struct cpu_load *cpu);
/* The same for all CPUs together; *cpus gets their number. */
double load_busy(const struct machine_load *load, size_t *cpus);
/* The share of time in the kernel, 0 to 1: of one CPU, of all CPUs; -1: not known. */
double load_kernel_share(const struct cpu_load *cpu);
double load_kernel(const struct machine_load *load);

#endif
