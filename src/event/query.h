/* The text of an event and its attr: event/name.c tries each kind of event in turn. */
#ifndef EVENT_QUERY_H
#define EVENT_QUERY_H

#include "base/err.h"
#include "base/mem.h"
#include "event/event.h"

enum answer {
    ANSWER_ERROR = -1, /* wrong usage: err is set */
    ANSWER_NO,         /* not an event of this kind: try the next */
    ANSWER_YES,        /* the event's attr is set */
    ANSWER_NOT_HERE,   /* known, but not on this machine: the event's state and reason are set */
};

struct query {
    const char *text;      /* as written, without a name of its own */
    const char *own;       /* that name; NULL: none */
    char *base;            /* without its modifiers */
    const char *modifiers; /* the end of text, or "" */
    struct event event;    /* attr, pmu, unit, scale, target, filter, state and reason */
    bool has_mode;         /* the text or the kind of event sets the modes to count */
    bool each_type;        /* counted on each core type */
    const char *each_name; /* by this name of each core type's PMU; NULL: by the same attr */
    bool foreign;          /* an unknown name may be known on another machine */
    char *full;            /* libpfm4's full string; NULL if it is not libpfm4's event */
    struct err err;
};

/* Sets the event's state and reason. */
static inline enum answer query_not_here(struct query *q, enum event_state state,
                                         const char *reason)
{
    q->event.state = state;
    q->event.reason = mem_strdup(reason);
    return ANSWER_NOT_HERE;
}

#endif
