/* Events that no perf event counts: the engines find them out from records of switches and
 * wake-ups, or from what /proc says of each thread. Their group of the set has no descriptors. */
#ifndef EVENT_SCHEDULER_H
#define EVENT_SCHEDULER_H

#include <stdbool.h>
#include <stddef.h>

enum scheduler_event {
    SCHEDULER_NONE,      /* an event of perf's */
    SCHEDULER_WAIT,      /* ns in which a thread could run and had no CPU */
    SCHEDULER_PREEMPTED, /* switches from a thread that could go on */
    SCHEDULER_YIELDED,   /* switches from a thread that waits for something */
    SCHEDULER_WAKEUPS,   /* returns to a CPU after a wake-up */
    SCHEDULER_LATENCY,   /* ns from these wake-ups to the CPU */
    SCHEDULER_LATENCY_MAX,
    SCHEDULER_BLOCK, /* ns in which a thread slept or waited for something */
    SCHEDULER_EVENTS,
};

/* attr.type of these events, which the kernel does not know; attr.config is the event. */
enum { SCHEDULER_TYPE = 0x7fffffff };

#define SCHEDULER_PMU "scheduler"

struct scheduler_info {
    const char *name; /* in -e and expressions */
    const char *unit; /* "ns", or "" for occurrences */
    const char *text; /* its meaning */
};

/* Not for SCHEDULER_NONE. */
const struct scheduler_info *scheduler_info(enum scheduler_event event);
enum scheduler_event scheduler_find(const char *name); /* SCHEDULER_NONE: not found */

/* Whether it is known only for tasks. The others are known for CPUs, too: of the tasks that waited
 * for one. */
bool scheduler_of_tasks(enum scheduler_event event);
/* Whether it is the largest of its interval: a sum of rows has the largest of them. */
bool scheduler_is_peak(enum scheduler_event event);
/* Whether it grows while a task does nothing. */
bool scheduler_is_sleep(enum scheduler_event event);

#endif
