/* What the system-wide engine counts from one call of set_events to the next: the groups that are
 * opened on each CPU, and their layout for the ledger. */
#ifndef ENGINE_ACTIVE_PLAN_H
#define ENGINE_ACTIVE_PLAN_H

#include "engine/cpu_events.h"
#include "engine/group.h"
#include "engine/ledger.h"

struct active_plan {
    struct group_plan plan;
    struct ledger_layout layout;
    struct group_read *read; /* scratch, large enough for any of the groups */
};

/* Sets layout and read from the plan; members_only: see ledger_layout.h. */
void active_plan_complete(struct active_plan *active, bool members_only);
/* Reads the groups of shared events of a CPU into the ledger: they write no records. */
void active_plan_read_shared(struct active_plan *active, struct ledger *ledger,
                             const struct cpu_events *cpu_events);
void active_plan_free(struct active_plan *active); /* one from the heap, completed; NULL is fine */

#endif
