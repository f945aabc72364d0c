/* What the system-wide engine counts since one call of set_events: the groups as they are opened on
 * each CPU, and what the ledger has to know of them. */
#ifndef ENGINE_ACTIVE_PLAN_H
#define ENGINE_ACTIVE_PLAN_H

#include "engine/cpu_events.h"
#include "engine/group.h"
#include "engine/ledger.h"

struct active_plan {
    struct group_plan plan;
    struct ledger_layout layout;
    struct group_read *read; /* scratch, room for any of its groups */
};

/* Fills in what follows from the plan; members_only: see ledger_layout.h. */
void active_plan_complete(struct active_plan *counting, bool members_only);
/* Asks for what a place's groups of shared events have counted: they write no records. */
void active_plan_read_shared(struct active_plan *counting, struct ledger *ledger,
                             const struct cpu_events *cpu_events);
void active_plan_free(
    struct active_plan *counting); /* one from the heap, completed; NULL is fine */

#endif
