/* What a child of ours does before it executes a command: it waits, looks along PATH, and goes
 * through the first half of execve(2). That is countertop's doing, not the command's, so in the
 * books it is moved from the child's row to our own.
 *
 * How much it is, counters of the child's own tell: the same events as the ledger's, opened for
 * that task while it waits, and removed by the kernel in execve(2) (attr.remove_on_exec, since
 * Linux 5.13; kernel/events/core.c, perf_event_exec()), where those of enable_on_exec begin. On
 * older kernels, and for events whose second counter the processor does not have room for, the
 * child's last slice before the command is the command's. */
#ifndef ENGINE_PRELUDE_H
#define ENGINE_PRELUDE_H

#include "engine/group.h"
#include "engine/task_table.h"

struct prelude;

/* The child and its descendants are `command` from now on. The roster outlives the prelude. */
struct prelude *prelude_new(struct task_table *task_table, pid_t child);
void prelude_free(struct prelude *prelude); /* NULL is fine */

/* All counts are 0 now, and of that plan. The child does nothing meanwhile. NULL is fine. */
void prelude_begin(struct prelude *prelude, const struct group_plan *plan);

/* Each record, in order: one of them tells that the command was executed. NULL is fine. */
void prelude_take(struct prelude *prelude, const struct record *record);

/* Puts the books right, to be called before tasks are listed: counts listed never decrease. Gives
 * the prelude back, NULL when there is nothing left to be done; it is freed then. NULL is fine. */
struct prelude *prelude_settle(struct prelude *prelude);

#endif
