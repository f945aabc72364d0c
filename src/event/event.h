/* Events as they are asked of the kernel. */
#ifndef EVENT_EVENT_H
#define EVENT_EVENT_H

#include "sample/snapshot.h"

#include <linux/perf_event.h>

/* What an idle task can do to a count, needed where the kernel writes no records for idle tasks and
 * idle's share of a slice must be told from its successor's (design: "What bites"). */
enum idle_share {
    IDLE_NONE,     /* cannot happen in an idle task: page faults, migrations */
    IDLE_TIME,     /* the clocks: divided by time */
    IDLE_SWITCHES, /* context switches: one for each slice */
    IDLE_UNKNOWN,  /* anything else: hardware events, tracepoints */
};

struct event {
    char *name; /* as the user wrote it, modifiers too; those of its braces that it had not itself
                   are added: `{cycles,branches:u}:k` are `cycles:k` and `branches:uk` */
    char *pmu;  /* "software", "tracepoint", "cpu" ... NULL when the name is not known here */
    char *unit; /* "" or "ns" */
    /* What to count: type, config*, exclude_*, precise_ip; nothing else is set, nor is size. */
    struct perf_event_attr attr;
    bool hardware; /* takes a hardware counter */
    enum idle_share idle;
    int group; /* events with the same number >= 0 stood in one pair of braces; -1: in none */
    enum event_state state; /* EVENT_COUNTED unless it is already known not to work */
    char *reason;           /* with any other state */
};

/* Sets pmu (unless it is set), unit, hardware and idle from attr. An event with a state other than
 * EVENT_COUNTED keeps its pmu: its attr says nothing. */
void event_settle(struct event *event);
void event_release(struct event *event);

struct event_list {
    struct event *events;
    size_t count, room;
    int groups; /* numbers used for braces so far */
};

/* Whether the kernel's scheduler makes it happen, in kernel mode only: switches and migrations. Of
 * user mode alone their count would be 0, which says nothing. */
bool event_of_scheduler(const struct perf_event_attr *attr);

void event_list_init(struct event_list *list);
void event_list_release(struct event_list *list);
void event_list_copy(struct event_list *to, const struct event_list *from); /* initialises `to` */
const struct event *event_list_find(const struct event_list *list, const char *name);

#endif
