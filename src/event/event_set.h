/* The events of a snapshot as the user sees them, what became of each, and in which mode they are
 * counted. */
#ifndef EVENT_EVENT_SET_H
#define EVENT_EVENT_SET_H

#include <stdbool.h>
#include <stddef.h>

enum count_mode { MODE_ALL, MODE_USER, MODE_KERNEL };

/* Whether an event, or a task, is counted, and if not, the kind of reason. The words for JSON are
 * in contract order: "counted", "unsupported", "denied", "no_counter", "no_descriptor",
 * "invalid". */
enum event_state {
    EVENT_COUNTED,
    EVENT_UNSUPPORTED,   /* this machine or kernel has no such event */
    EVENT_DENIED,        /* permission */
    EVENT_NO_COUNTER,    /* no free hardware counter */
    EVENT_NO_DESCRIPTOR, /* file descriptors ran out */
    EVENT_INVALID,       /* the kernel refuses this combination of settings */
};

const char *event_state_name(enum event_state state);

/* One event as the user sees it. */
struct event_info {
    char *name;   /* as the user wrote it: the column's name and the name in expressions */
    char *pmu;    /* the PMU that counts it: "software", "armv8_pmuv3" ...; NULL where none does */
    char *unit;   /* of a count times scale: "" for occurrences, "ns" for the clocks, "Joules" */
    double scale; /* 1 where the count itself is in that unit; counts are never scaled with it */
    /* Counts what several CPUs do together, a socket or its memory: it is told of CPUs and of the
     * whole, and never of tasks. Between them it is all unattributed. */
    bool shared;
    char *encoding; /* PMU, type, config ... in full; NULL where the name is not known here */
    enum event_state state;
    char *reason;  /* one sentence when state is not EVENT_COUNTED, else NULL */
    int group;     /* index of the perf group that counts it, -1 when none does. Two events may be
                      divided by each other exactly when their groups are the same. */
    bool hardware; /* takes a hardware counter */
};

/* The events of a snapshot, in the order of the counts. Shared by reference between threads. */
struct event_set {
    int references; /* atomic */
    size_t count;
    struct event_info *events;
    size_t groups; /* number of perf groups */
    char *note;    /* what is less than it should be in how they are counted, the remedy; NULL */
};

struct event_set *event_set_new(size_t count); /* one reference, events zeroed */
struct event_set *event_set_share(struct event_set *set);
void event_set_drop(struct event_set *set); /* NULL is fine */
/* Index of the event with that name, -1 when there is none. */
int event_set_find(const struct event_set *set, const char *name);
/* Groups that take turns on the counters of a core; *events: the events in them. */
size_t event_set_turns(const struct event_set *set, size_t *events);

#endif
