/* Events and their perf_event_attr. */
#pragma once

#include "base/cpulist.h"
#include "event/event_set.h"

#include <linux/perf_event.h>

struct caps; /* system/caps.h */

/* Missing in older headers. */
enum { SW_BPF_OUTPUT = 10 };

/* What an idle task can add to a count. Needed on kernels that write no records for idle tasks,
 * where a slice contains the idle task's share and that of the task after it. */
enum idle_share {
    IDLE_NONE,     /* cannot happen in an idle task: page faults, migrations, user code */
    IDLE_TIME,     /* clocks: divided by time */
    IDLE_SWITCHES, /* context switches: one for each slice */
    IDLE_UNKNOWN,  /* anything else: hardware events, tracepoints */
};

/* The same event on the CPUs of one core type. Machines with several, each with a PMU of its own:
 * Intel's cpu_core and cpu_atom, Arm's big.LITTLE. */
struct event_variant {
    char *pmu;
    struct cpulist cpus;         /* of that type */
    struct perf_event_attr attr; /* its type and config* replace those of the event's */
};

struct event {
    char *text; /* as the user wrote it, with the modifiers of its braces added:
                   `{cycles,branches:u}:k` are `cycles:k` and `branches:uk` */
    char *name; /* the same, or the name of its own that the user gave it */
    char *pmu;  /* "software", "tracepoint", "cpu", "cpu_core,cpu_atom" ... NULL if the name is not
                   known on this machine */
    char *unit; /* of a count times scale: "", "ns", "Joules" ... */
    double scale;
    /* Only these fields are set: type, config*, bp_type, exclude_*, precise_ip, pinned, exclusive;
     * not size and no pointers. event_attr_on() gives the attr to open. */
    struct perf_event_attr attr;
    char *target; /* function or file that a probe's attr.config1 points to; NULL: none */
    char *filter; /* of a tracepoint, set after opening it; NULL: none */
    /* Counts what several CPUs do together (a socket, its memory): opened on these CPUs, each for
     * its socket, and never for single tasks. Otherwise cpus is empty: any CPU. */
    bool shared;
    struct cpulist cpus;
    /* On a machine with several core types, those that have this event; else NULL. */
    struct event_variant *variants;
    size_t variant_count;
    char *encoding; /* from event_encoding(); NULL: not known */
    bool hardware;  /* takes a hardware counter */
    bool halved;    /* counted in user or in kernel mode alone, as is the mode, and no modifier */
    bool modeless;  /* user mode alone was asked for, but it happens in the kernel only */
    enum idle_share idle;
    int group;              /* number of its pair of braces; -1: in none */
    enum event_state state; /* EVENT_COUNTED unless it is already known not to work */
    char *reason;           /* set with any other state */
};

/* Sets pmu and unit (unless they are set), scale (unless above 0), hardware and idle from attr. The
 * pmu of an event with a state other than EVENT_COUNTED stays, since its attr is not valid. */
void event_settle(struct event *event);
void event_release(struct event *event);

/* Sets the event's variants, and its attr to the first: one for each core type when `each` (a
 * generic event, a raw code), else only that of its own PMU. With `terms`, one for each core type
 * whose PMU has an event of that name, with its code there. Does nothing on a machine with one core
 * type, or if no core PMU counts the event. */
void event_set_variants(struct event *event, bool each, const char *terms);

/* The attr to open the event with on a CPU; -1: for a task on any CPU, if core types make no
 * difference. Points into the event. On a CPU whose core type has no such event the attr counts
 * nothing. */
struct perf_event_attr event_attr_on(const struct event *event, int cpu);

/* The complete encoding of an event, to be looked up in a manual: "cpu type=4 config=0x20d1
 * skx::MEM_LOAD_RETIRED:L3_MISS:e=0...": PMU, type, config and, unless 0, config1 and config2 in
 * hexadecimal, the target of a probe, the filter, and libpfm4's full string unless it is NULL. On a
 * machine with several core types the encoding for each, separated by "; ". The caller frees it. */
char *event_encoding(const struct event *event, const char *full);

struct event_list { /* zeroed: empty */
    struct event *events;
    size_t count, room;
    int groups; /* pairs of braces so far */
};

/* Whether the event happens in kernel mode only: switches, migrations, tracepoints, kprobes. Such
 * an event is not restricted to user mode, where its count would always be 0. */
bool event_of_kernel(const struct event *event);

/* Which kept event it is; SCHEDULER_NONE: perf counts it. */
enum scheduler_event event_kept(const struct event *event);

/* Whether it is an event of the PMUs kprobe and uprobe. No task may inherit one (attr.inherit): the
 * kernel creates the probe again for each new task, reads its name or path from the memory of the
 * task that forks, and fork(2) fails with EFAULT (kernel/events/core.c, perf_uprobe_event_init()).
 */
bool event_is_probe(const struct event *event);

/* Whether it counts nanoseconds on a CPU: cpu-clock, task-clock. */
bool event_is_clock(const struct event *event);

/* Whether it counts context switches, of which each can be sampled. */
bool event_is_switch(const struct event *event);

/* Refuses an event whose count would always be 0 although the kernel opens it. */
void event_never(struct event *event);

void event_list_release(struct event_list *list);
/* For a local `AUTO_EVENTS struct event_list list = {0};`: released where its block ends. */
#define AUTO_EVENTS __attribute__((unused, cleanup(event_list_release)))
/* Appends a zeroed event, which the list owns; valid until the next one is added. */
struct event *event_list_add(struct event_list *list);
void event_list_copy(struct event_list *to, const struct event_list *from); /* initialises `to` */
/* Appends the events of `more` like event_parse(): skips those in the list. */
void event_list_join(struct event_list *list, const struct event_list *more);
/* Writes the list as a text for event_parse(), which the caller frees. */
char *event_list_text(const struct event_list *list);
/* Writes one item of that text, which the caller frees: the event, or the whole pair of braces that
 * begins with it. NULL if the event is not the first one in its braces. */
char *event_list_item(const struct event_list *list, size_t event);
/* The event of that name, NULL if there is none. */
struct event *event_list_find(const struct event_list *list, const char *name);

/* ---- why an event is not counted ---- */

/* From the process' rights, and from /proc and /sys: the cause and the remedy. Where two causes
 * cannot be distinguished, both are named. */

/* Sets the event's state and reason from the line of event/refusals.txt that begins with the key,
 * with a text for each {} in it. */
void event_refuse(struct event *event, const char *key, ...);

/* Sets the event's state and reason from the errno with which opening it failed. system_wide: it
 * was opened for a CPU and all its tasks. */
void explain_refusal(struct event *event, int error, bool system_wide, const struct caps *caps);

/* "WHAT (perf_event_paranoid is 2): as root, run ...": cause and remedy where the kernel requires
 * perf_event_paranoid to be at most `enough`, or CAP_PERFMON. The caller frees it. */
char *explain_permission(const char *what, int enough, const struct caps *caps);

/* "as root, run 'setcap cap_perfmon+ep FILE'": the one command that permits all that this program
 * counts, whatever perf_event_paranoid is. The caller frees it. */
char *explain_capability(const struct caps *caps);

/* The length of the cause in a reason, without the remedy: up to the first colon or semicolon. */
int explain_cause(const char *reason);
