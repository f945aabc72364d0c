/* Counts a command and all processes that it starts, each in a row of its own, without any
 * privilege. The events are opened once on each CPU, for the command's first task, which passes
 * them on to all tasks that it creates (perf_event_open(2), inherit). When a task exits, the kernel
 * reports what it counted on each CPU (inherit_stat, PERF_RECORD_READ). With style->live the tasks
 * are also sampled, after every 2 ms on a CPU, so that rows grow before the tasks exit, and are at
 * most that late. When the events change while the command runs, they are opened for each task that
 * lives then.
 *
 * Counts not yet attributed are in no row until only one task can own them (engine/family_books.h),
 * at the latest when the command has ended. So the rows then add up to the command's count, to the
 * last event, whatever records were lost.
 *
 * The command's tasks pay for it when they are created and when they end, for each event of each
 * CPU, and when they are switched. */
#pragma once

#include "engine/group.h"
#include "engine/task_table.h"

struct family;

struct family_style {
    const struct group_plan *plan;
    struct perf_event_attr filler;
    struct cpulist cpus;
    bool on_exec; /* counting starts when the task executes a program; else at once */
    /* Also samples, so that tasks have counts before they end. That needs Linux 6.12 (kernel commit
     * 7e8b255650fc: a sample has what the events counted for its task, not for all). */
    bool live;
    int changes; /* from owner_changes_open() */
};

/* Whether this kernel reports what a task counted when it exits: 6.18 does, 6.1 does not
 * (kernel/events/core.c, sync_child_event(): the task is TASK_TOMBSTONE by then). Tries it with two
 * short processes; call it before threads are started. */
bool family_reads_exits(void);

/* Opens the events for a child that will execute a program (style->on_exec), or for a command that
 * runs already, with its threads and descendants. Copies the style; borrows its plan and the task
 * table. NULL with a message. */
struct family *family_open(const struct family_style *style, pid_t command,
                           struct task_table *task_table, struct err *err);
/* Takes the last records and closes all. Sets *ran if anything of it was counted, and adds to *lost
 * the number of records that the kernel could not write. NULL is fine. */
void family_close(struct family *family, bool *ran, uint64_t *lost);

/* As poll_fds of struct source_ops. */
size_t family_poll_fds(const struct family *family, struct pollfd *fds, size_t room);

/* Takes all records in the rings, in the order of their times, into the task table and the books.
 */
void family_drain(struct family *family);

/* Before a snapshot: drains the rings, reads what all tasks have counted together, and updates the
 * rows. online: how many CPUs are online now. */
void family_take(struct family *family, size_t online);

/* Drops what the family, its ctx, knows of a task that the table is about to free: the `forget` of
 * task_table_list(). */
void family_forget(void *family, struct task *task);

/* Fills in what a snapshot of the command has besides its tasks: unassigned counts, lost records,
 * descriptors, and as a note why a part was not counted, or that tasks outlived the command, whose
 * unassigned counts are in one row. Without style->live it is known only after the end that a part
 * is missing. Which task that was is not known, so all tasks that are still in the table are shown
 * as not counted. */
void family_fill(const struct family *family, struct snapshot *snapshot);
