/* The child process works before it executes the command: it waits, searches PATH, and runs the
 * first half of execve(2). That is countertop's work, not the command's, so its counts are moved
 * from the child's row to countertop's own.
 *
 * The amount is measured by counters on the child alone: the same events as the ledger's, opened
 * while the child waits and removed by the kernel in execve(2) (attr.remove_on_exec, since Linux
 * 5.13; kernel/events/core.c, perf_event_exec()), at the point where enable_on_exec starts others.
 * On older kernels, and for events that the processor cannot count twice, the child's last slice
 * before the command is counted as the command's. */
#pragma once

#include "engine/group.h"
#include "engine/task_table.h"

struct launch_overhead;

/* Marks the child and its descendants as `command`. The task table outlives it. */
struct launch_overhead *launch_overhead_new(struct task_table *task_table, pid_t child);
void launch_overhead_free(struct launch_overhead *launch_overhead); /* NULL is fine */

/* Counting starts at 0 with this plan, or goes on with it and the ledger has all records so far.
 * The child must be waiting. NULL is fine. 0, or the errno with which counters could not be
 * enabled: what the child counts before its exec stays in its row then. */
int launch_overhead_begin(struct launch_overhead *launch_overhead, const struct group_plan *plan);

/* Call it with each record in order, to see the child's exec. NULL is fine. */
void launch_overhead_take(struct launch_overhead *launch_overhead, const struct record *record);

/* Moves the counts. Call it before tasks are listed, since listed counts must never decrease.
 * Returns it, or frees it and returns NULL when nothing is left to do. NULL is fine. */
struct launch_overhead *launch_overhead_settle(struct launch_overhead *launch_overhead);
