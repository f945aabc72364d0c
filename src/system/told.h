/* Times that the kernel keeps of a CPU or a cgroup, beside what is counted: ns, cumulative or of an
 * interval. */
#ifndef SYSTEM_TOLD_H
#define SYSTEM_TOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of a CPU. From /proc/stat in clock ticks (proc_stat(5)), and the last from /proc/schedstat
 * (Documentation/scheduler/sched-stats.rst), where the kernel has that file. */
enum told_cpu {
    CPU_TIME,   /* of which the others are parts; 0: nothing is known */
    CPU_BUSY,   /* neither idle nor waiting for I/O, with the time that a hypervisor took */
    CPU_KERNEL, /* of these: in the kernel, with interrupts */
    CPU_STEAL,  /* the hypervisor ran others */
    CPU_IRQ,
    CPU_SOFTIRQ,
    CPU_QUEUE, /* of all tasks: able to run, and had to wait; up to their last return to a CPU */
    CPU_TOLD
};

/* Of a cgroup, with those below it: from its cpu.stat (Documentation/admin-guide/cgroup-v2.rst, or
 * of version 1 scheduler/sched-bwc.rst), and its files *.pressure (accounting/psi.rst). */
enum told_cgroup {
    CGROUP_TIME, /* in which the others passed */
    /* Of each CPU: in which cpu.max, of it or of one above it, kept it from running on. */
    CGROUP_THROTTLED,
    CGROUP_THROTTLES, /* times (not ns) that cpu.max was used up, likewise */
    /* In which some of its tasks could not go on for lack of a CPU; the next one: in which none
     * could; then such a pair for each further one of enum pressure. */
    CGROUP_PRESSURE,
    CGROUP_TOLD = CGROUP_PRESSURE + 6
};

enum { TOLD_MAX = 16 };

struct told {
    unsigned known; /* bit n: time[n] is */
    unsigned parts; /* of a sum: that have been added */
    uint64_t time[TOLD_MAX];
};

/* A time's names. */
struct told_name {
    const char *column;   /* in recordings, and in JSON */
    const char *variable; /* in expressions, seconds; NULL: none */
    const char *text;     /* its meaning; NULL: it is not written by itself */
};

extern const struct told_name told_cpu_names[CPU_TOLD];
extern const struct told_name told_cgroup_names[CGROUP_TOLD];

/* A time; false if it is not known. */
bool told_get(const struct told *told, size_t i, uint64_t *time);
void told_set(struct told *told, size_t i, uint64_t time);
/* Sets those times of the other that it knows, and that are in the mask (as `known`). */
void told_merge(struct told *told, const struct told *other, unsigned mask);
/* What has passed from one to the other: known where both are. */
struct told told_between(const struct told *before, const struct told *now);
/* Adds a part to a sum, zeroed before the first one: known where all parts are. */
void told_add(struct told *sum, const struct told *part);
/* A time in relation to another; below 0: not known. As a share at most 1. */
double told_ratio(const struct told *told, size_t part, size_t whole);
double told_share(const struct told *told, size_t part, size_t whole);

#endif
