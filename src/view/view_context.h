/* What cells are made from besides their row. */
#ifndef VIEW_VIEW_CONTEXT_H
#define VIEW_VIEW_CONTEXT_H

#include "model/frame.h"
#include "view/lookup.h"
#include "view/settings.h"

struct condition;
struct groups;
struct cpu_level;

struct view_context {
    const struct frame *frame;
    const struct view_settings *settings;
    const struct view_lookup *lookup;  /* may be NULL */
    const struct condition *condition; /* what the filter's text says; NULL: it is plain text */
    const struct groups *groups;       /* what rows of users, commands and cgroups come from */
    const struct cpu_level *levels;    /* and those of CPUs */
    uid_t self;                        /* who is looking */
};

#endif
