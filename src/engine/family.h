/* A command with all processes that it starts, each counted by itself, without any privilege. Each
 * CPU has the events once, for the command's first task: it passes them on to all tasks that it
 * creates (perf_event_open(2), inherit), and each of these writes what it counted on that CPU when
 * it ends (inherit_stat, PERF_RECORD_READ). Live, the tasks are sampled as well, after every 2 ms
 * on a CPU, and what they have in their rows is that much late. When the events change while the
 * command runs, each task that lives then is the first one of its own (engine/family_root.h).
 *
 * What nobody has told yet is in no row until only one task can have it (engine/family_books.h), at
 * the latest when the command has ended. So the sum of all rows is then the command's count, to the
 * last event, whatever was lost.
 *
 * The command's tasks pay for it when they are created and when they end, for each event of each
 * CPU, and when they are switched. */
#ifndef ENGINE_FAMILY_H
#define ENGINE_FAMILY_H

#include "engine/family_root.h"

#include <poll.h>

struct family;

/* Opens the events for the command, a child that will execute a program, or that runs already: then
 * for its threads and all its descendants. Takes ownership of style->cpus; style->slots is set
 * here. Plan and task table outlive the family. NULL with a message. */
struct family *family_open(const struct family_style *style, pid_t command,
                           struct task_table *task_table, struct err *err);
void family_close(struct family *family); /* NULL is fine */

/* As in struct source_ops. */
size_t family_poll_fds(const struct family *family, struct pollfd *fds, size_t room);

/* Takes all records that are in the rings. */
void family_drain(struct family *family);

/* The same for a snapshot: reads the counts of all together, too, and updates the rows. online:
 * CPUs now. */
void family_take(struct family *family, size_t online);

/* For task_table_list(): the table frees that task. */
void family_forget(void *family, struct task *task);

/* Adds what snapshot.unassigned is to have. */
void family_unassigned(const struct family *family, uint64_t *unassigned);

bool family_ran(const struct family *family);      /* some of it is counted */
uint64_t family_lost(const struct family *family); /* records */
size_t family_descriptors(const struct family *family);
/* Why some of the command was not counted, as far as its first process has run that or waited
 * for it; not live, after the end. Which task that was is not known, so none of those that are
 * still in the table has a number. NULL: all was. */
const char *family_partly(const struct family *family);
/* After the command's end: tasks that outlive it. Their counts are in one row, as far as they had
 * not been told. */
size_t family_left(const struct family *family);

#endif
