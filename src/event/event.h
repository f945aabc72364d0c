/* Events as they are asked of the kernel. */
#ifndef EVENT_EVENT_H
#define EVENT_EVENT_H

#include "base/cpulist.h"
#include "event/event_set.h"

#include <linux/perf_event.h>
#include <stdint.h>

/* What an idle task can do to a count, needed where the kernel writes no records for idle tasks and
 * idle's share of a slice must be told from its successor's (design: "What bites"). */
enum idle_share {
    IDLE_NONE,     /* cannot happen in an idle task: page faults, migrations, user code */
    IDLE_TIME,     /* the clocks: divided by time */
    IDLE_SWITCHES, /* context switches: one for each slice */
    IDLE_UNKNOWN,  /* anything else: hardware events, tracepoints */
};

/* The same event on the CPUs of one core type (event/hybrid.h). */
struct event_variant {
    char *pmu;
    struct cpulist cpus; /* of that type */
    uint32_t type;       /* for the attr; the rest of it is the event's */
    uint64_t config;
};

struct event {
    char *name; /* as the user wrote it, modifiers too; those of its braces that it had not itself
                   are added: `{cycles,branches:u}:k` are `cycles:k` and `branches:uk` */
    char *pmu;  /* "software", "tracepoint", "cpu", "cpu_core,cpu_atom" ... NULL when the name is
                   not known here */
    char *unit; /* of a count times scale: "", "ns", "Joules" ... */
    double scale;
    /* What to count: type, config*, bp_type, exclude_*, precise_ip, pinned, exclusive; nothing else
     * is set, nor is size, nor what a field points to. It is opened as event_attr_on() gives it. */
    struct perf_event_attr attr;
    char *target; /* what a probe's attr.config1 points to: function or file; NULL: nothing */
    char *filter; /* of a tracepoint, set when it is open; NULL: none */
    /* Counts what several CPUs do together (a socket, its memory): on these CPUs alone, each for
     * all of its kind, and never for single tasks. Else cpus is empty: any CPU. */
    bool shared;
    struct cpulist cpus;
    /* Where core types have PMUs of their own, the types that have this event; NULL elsewhere. */
    struct event_variant *variants;
    size_t variant_count;
    char *encoding; /* in full: PMU, type, config ... in hex, libpfm4's string; NULL: not known */
    bool hardware;  /* takes a hardware counter */
    enum idle_share idle;
    int group; /* events with the same number >= 0 stood in one pair of braces; -1: in none */
    enum event_state state; /* EVENT_COUNTED unless it is already known not to work */
    char *reason;           /* with any other state */
};

/* Sets pmu and unit (unless they are set), scale (unless above 0), hardware and idle from attr. An
 * event with a state other than EVENT_COUNTED keeps its pmu: its attr says nothing. */
void event_settle(struct event *event);
void event_release(struct event *event);

/* The attr to open the event with on that CPU (-1: for a task on any CPU, where core types make no
 * difference). Points into the event. On a CPU whose core type has no such event it is one that
 * counts nothing, since nothing of it happens there. */
struct perf_event_attr event_attr_on(const struct event *event, int cpu);

struct event_list {
    struct event *events;
    size_t count, room;
    int groups; /* numbers used for braces so far */
};

/* Whether it happens in kernel mode only: switches, migrations, tracepoints, kprobes. Of user mode
 * alone the count would be 0, which says nothing. */
bool event_of_kernel(const struct event *event);

/* Why the count could only be 0 although the kernel opens the event: cause and remedy. NULL: it
 * may count. */
const char *event_never(const struct event *event);

void event_list_init(struct event_list *list);
void event_list_release(struct event_list *list);
void event_list_copy(struct event_list *to, const struct event_list *from); /* initialises `to` */
/* Adds the events of `more` behind those of the list, as event_parse() would have: one that is
 * there already is not added again. */
void event_list_join(struct event_list *list, const struct event_list *more);
/* The list as event_parse() takes it, and the item of it that begins with an event: its name, or
 * all that is in its braces; NULL where these began with another one. The caller frees both. */
char *event_list_text(const struct event_list *list);
char *event_list_item(const struct event_list *list, size_t event);
const struct event *event_list_find(const struct event_list *list, const char *name);

#endif
