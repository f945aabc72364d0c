/* Reads the tasks of an interval, from packs or, in recordings of format 1, from rows. Part of
 * record/reader. */
#ifndef RECORD_READ_TASKS_H
#define RECORD_READ_TASKS_H

#include "record/read_meta.h"

/* Adds a task that did nothing to the snapshot. */
struct task_sample *read_tasks_list(struct read_meta *meta, struct snapshot *s,
                                    struct recorded_task *task);

/* Adds what a row of the query has; false if it is invalid. The columns are those of task_rows but
 * for its id, or those of task_packs, each after one that is not looked at. */
bool read_tasks_row(struct read_meta *meta, struct snapshot *s, sqlite3_stmt *row);
bool read_tasks_pack(struct read_meta *meta, struct snapshot *s, sqlite3_stmt *row);

/* Reads counts from columns, for as many events and groups as the set has. oncpu: the times of
 * groups that were not stored (see schema.h). */
void read_tasks_counts(const struct event_set *set, sqlite3_stmt *row, int column, uint64_t oncpu,
                       struct counts *counts);

#endif
