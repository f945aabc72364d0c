/* A command with all processes that it starts, each counted by itself, without any privilege. Each
 * CPU has the events once, for the command's first task: it passes them on to all tasks that it
 * creates (perf_event_open(2), inherit), and each of these writes what it counted on that CPU when
 * it ends (inherit_stat, PERF_RECORD_READ). What the first task and those that still live counted
 * is what is left of the whole, in the row of the first task until they end. So the sum of all rows
 * is the command's count, to the last event, whatever was lost.
 *
 * The command's tasks pay for it when they are created and when they end, for each event of each
 * CPU; not when they are switched. */
#ifndef ENGINE_FAMILY_H
#define ENGINE_FAMILY_H

#include "engine/group.h"
#include "engine/task_table.h"

#include <poll.h>

struct family;

/* Whether this kernel writes what a task counted when it ends: 6.18 does, 6.1 does not
 * (kernel/events/core.c, sync_child_event(): the task is TASK_TOMBSTONE by then). Found out with
 * two processes that end at once; to be called before threads are started. */
bool family_reads_exits(void);

/* Opens the events for the child on each of these CPUs; counting starts when the child executes a
 * program. plan and task table outlive the family. NULL with a message. */
struct family *family_open(const struct group_plan *plan, const struct perf_event_attr *filler,
                           pid_t child, const struct cpulist *cpus, struct task_table *task_table,
                           struct err *err);
void family_close(struct family *family); /* NULL is fine */

/* As in struct source_ops. */
size_t family_poll_fds(const struct family *family, struct pollfd *fds, size_t room);

/* Takes all records that are in the rings, and updates the row of the first task. */
void family_take(struct family *family);

/* For task_table_list(): the table frees that task. */
void family_forget(void *family, struct task *task);

uint64_t family_lost(const struct family *family); /* records */
size_t family_descriptors(const struct family *family);
/* After the first task's end: whether some of the command was not counted. Which task that was is
 * not known, so none of those that are still in the table has a number. */
bool family_partly(const struct family *family);
/* After the first task's end: tasks that outlive it. Their counts are in one row. */
size_t family_left(const struct family *family);

#endif
