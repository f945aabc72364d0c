/* The events that are counted, as the user sees them: an event set is immutable once a snapshot has
 * it, and shared by reference between threads. All counts are in the order of its events. */
#pragma once

#include "base/base.h"

/* Events that no perf event counts: the engines find them out from records of switches and
 * wake-ups, or from what /proc says of each thread. Their group of the set has no descriptors. */

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
static inline bool scheduler_of_tasks(enum scheduler_event event)
{
    return event == SCHEDULER_BLOCK || event == SCHEDULER_LATENCY_MAX;
}

/* Whether it is the largest of its interval: a sum of rows has the largest of them. */
static inline bool scheduler_is_peak(enum scheduler_event event)
{
    return event == SCHEDULER_LATENCY_MAX;
}

/* Whether it grows while a task does nothing. */
static inline bool scheduler_is_sleep(enum scheduler_event event)
{
    return event == SCHEDULER_BLOCK;
}

enum count_mode { MODE_ALL, MODE_USER, MODE_KERNEL };

/* Whether an event or a task is counted, and if not, the kind of reason. The words in JSON, in this
 * order: "counted", "unsupported", "denied", "no_counter", "no_descriptor", "invalid". */
enum event_state {
    EVENT_COUNTED,
    EVENT_UNSUPPORTED,   /* this machine or kernel has no such event */
    EVENT_DENIED,        /* permission */
    EVENT_NO_COUNTER,    /* no free hardware counter */
    EVENT_NO_DESCRIPTOR, /* file descriptors ran out */
    EVENT_INVALID,       /* the kernel refuses this combination of settings */
};

const char *event_state_name(enum event_state state);

struct event_info {
    char *name;   /* as the user wrote it: the column's name and the name in expressions */
    char *pmu;    /* the PMU that counts it: "software", "armv8_pmuv3" ...; NULL: none */
    char *unit;   /* of a count times scale: "" for occurrences, "ns" for clocks, "Joules" */
    double scale; /* factor from counts to the unit; counts here are never multiplied with it */
    /* Known only for some kinds of rows, those in which its group has a time: either it counts the
     * joint events of several CPUs (a socket, its memory) and is known for CPUs and the total,
     * never for tasks, so all of it is unattributed; or it is an event of `kept`. */
    bool shared;
    enum scheduler_event kept; /* not counted by perf, but found out by the engine */
    char *encoding; /* PMU, type, config ...; NULL: the name is not known on this machine */
    enum event_state state;
    char *reason; /* one sentence when state is not EVENT_COUNTED, else NULL */
    int group; /* index of the perf group that counts it, -1: none. A ratio of two events is exact
                  if their groups are the same. */
    bool hardware; /* takes a hardware counter */
    bool halved;   /* counted in user or in kernel mode alone, as is the mode, and no modifier */
    bool modeless; /* happens in kernel mode only, and is counted although the mode is user */
};

/* The events of a snapshot, in the order of the counts. Shared by reference between threads. */
struct event_set {
    int references; /* atomic */
    size_t count;
    struct event_info *events;
    size_t groups; /* number of perf groups */
    char *note;    /* a restriction in counting them, with the remedy; NULL: none */
};

struct event_set *event_set_new(size_t count); /* for mem_share(); events zeroed */
void event_set_drop(struct event_set *set);    /* NULL is fine */
/* Shares another set, NULL: none, instead of that in *kept, which may be the same. */
void event_set_keep(struct event_set **kept, struct event_set *set);
/* Index of the event with this name, -1 if there is none. */
int event_set_find(const struct event_set *set, const char *name);
/* Whether any counted event of the set is kept (event_info.kept): then tasks that do not run have
 * counts, too. */
bool event_set_waits(const struct event_set *set);
/* The number of groups on a core's counters, which take turns if there are several; *events
 * receives the number of their events. */
size_t event_set_turns(const struct event_set *set, size_t *events);
