/* What a recording is made of: an SQLite database whose application_id is "ctop" and whose
 * user_version is SCHEMA_VERSION. What was counted is in it, as exact integers and not scaled;
 * metrics are not: they are computed from counts, so that a new one works on an old recording.
 *
 *   runs       each time that recording began: the machine, who counted, how many CPUs
 *   sessions   how it was counted, and what was watched; another one when that changed
 *   event_sets the events counted together, with their perf groups; `events` has one row for each
 *   intervals  one row for each refresh, numbered from 1; the last column of the books that are
 *              kept of it is its length in ns
 *   loads      what each CPU of the machine did in an interval, whoever was watched, where that is
 *              known: ns that it was busy, of a total that need not be the interval's length;
 *              cpu -1: this program, self_cpu of the time that it was measured over
 *   processes  a process as long as its facts are the same, and tasks, the same of its threads;
 *              tasks have the first and the last interval (NULL: not known to have ended)
 *   task_rows  what a task did in an interval: those with task_first <= id <= task_last of it
 *   cpu_rows   what a CPU did, likewise; cpu -1: the idle tasks of all, -2: unattributed
 *
 * Old recordings have no `loads`; one that is gone on with gets it.
 *
 * The columns c0, c1 ... of both kinds of rows are the counts of the events 0, 1 ... of the
 * interval's event set; e0, r0, e1 ... the nanoseconds that its groups 0, 1 ... were enabled and
 * running (perf_event_open(2)). r is NULL where a group was running as long as enabled; for an
 * interval in which it was so for all tasks, e is too, and stands for the time on a CPU: it is only
 * needed to weigh threads that were counted in part. As many columns as are needed are added when a
 * set needs more. All other times are in ns too. Bits of flags: see below.
 *
 * The views have the events' own names for columns, and are for people: task_counts, cpu_counts and
 * summary (idle, unattributed, total, of each interval). There counts are as the program shows
 * them: scaled where a group was multiplexed, NULL where nothing was counted, and times in seconds.
 * Reading a recording does not use them. */
#ifndef RECORD_SCHEMA_H
#define RECORD_SCHEMA_H

#include "record/db.h"
#include "sample/snapshot.h"

enum { SCHEMA_APPLICATION = 0x63746f70, SCHEMA_VERSION = 1 };

enum { ROW_EXITED = 1, ROW_PROCESS_EXITED = 2, ROW_STATE_SHIFT = 4 }; /* enum event_state above */
enum { ROW_IDLE = -1, ROW_UNATTRIBUTED = -2, ROW_SELF = -1 };         /* instead of a CPU */

/* Bounds of what is read, and so of what is written. */
enum { SCHEMA_EVENTS_MOST = 400, SCHEMA_CPUS_MOST = 1 << 16, SCHEMA_TEXT_MOST = 1 << 16 };

/* Makes an empty database a recording. */
int schema_create(struct db *db, struct err *err);

/* Adds what recordings did not have from the first. */
int schema_complete(struct db *db, struct err *err);

/* Whether it is a recording of this version: -1 with a message that says what it is instead. what:
 * for db_fail(). */
int schema_check(struct db *db, const char *what, struct err *err);

/* Adds columns until there are so many events and groups. */
int schema_extend(struct db *db, size_t events, size_t groups, struct err *err);

/* Makes the views anew, for all event sets that are there. */
int schema_views(struct db *db, struct err *err);

#endif
