/* One event's text on its way to an attr: each kind of events is asked about it in turn
 * (event/name.c). */
#ifndef EVENT_QUERY_H
#define EVENT_QUERY_H

#include "base/err.h"
#include "event/event.h"

/* What a text turned out to be. */
enum answer {
    ANSWER_ERROR = -1, /* wrong usage: err is set */
    ANSWER_NO,         /* not known to the one who was asked: ask the next */
    ANSWER_YES,        /* the event's attr is set */
    ANSWER_NOT_HERE,   /* known, but not on this machine: the event's state and reason are set */
};

struct query {
    const char *text;      /* as written */
    char *base;            /* without its modifiers */
    const char *modifiers; /* the end of text, or "" */
    struct event event;    /* attr, pmu, unit, scale, target, filter, state and reason */
    bool has_mode;         /* text itself says which modes to count, or there is only one */
    bool each_type;        /* to be counted on each core type there is */
    bool foreign;          /* what is not known here may be so elsewhere */
    char *full;            /* libpfm4's full string of the event; NULL where it was not asked */
    struct err err;
};

/* Sets the event's state and reason. */
enum answer query_not_here(struct query *q, enum event_state state, const char *reason);

#endif
