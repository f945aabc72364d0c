/* What cells are made from besides their row. */
#ifndef VIEW_VIEW_CONTEXT_H
#define VIEW_VIEW_CONTEXT_H

#include "base/map.h"
#include "model/frame.h"
#include "view/lookup.h"
#include "view/settings.h"

struct condition;
struct cpu_level;

/* Of a row that adds up processes. */
struct group {
    char *key; /* what its processes share: a uid, a name, a path (view/view_kind.h); NULL: not
                  known, they ended before they were asked */
    size_t processes;
};

struct groups {
    size_t count, room, group_room;
    struct row *rows;
    struct group *groups; /* one for each row */
    struct map found;     /* rows by id, while they are made: number + 1 */
};

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
