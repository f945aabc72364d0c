/* Reads the tasks of an interval from packs. Part of record/reader. */
#ifndef RECORD_READ_TASKS_H
#define RECORD_READ_TASKS_H

#include "record/read_meta.h"

/* Adds a task that did nothing to the snapshot. */
struct task_sample *read_tasks_list(struct read_meta *meta, struct snapshot *s,
                                    struct recorded_task *task);

/* Adds the tasks of a pack that a query has: its id, and pack_columns(). False if they are invalid.
 */
bool read_tasks_pack(struct read_meta *meta, struct snapshot *s, sqlite3_stmt *row);

#endif
