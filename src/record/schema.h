/* The format of a recording: an SQLite database whose application_id is "ctop" and whose
 * user_version is SCHEMA_VERSION. It has counts as exact unscaled integers, and no metrics: these
 * are computed from counts, so that a new metric works on an old recording.
 *
 *   runs       one row for each start of recording: the machine, the user, the number of CPUs
 *   sessions   how it was counted and what was watched; another row when that changes
 *   event_sets the events counted together, with their perf groups; `events` has a row for each
 *   intervals  one row for each refresh, numbered from 1; the column `length` is in ns
 *   loads      the times of each of the machine's CPUs in an interval (system/kernel_times.h), if
 * they are known, ns: parts of a total that may differ from the interval's length; NULL: not known;
 * cpu -1: this program, its CPU time and the time over which that was measured; again: not 0 where
 * they are those of an earlier interval, so that sums leave them out
 *   cgroup_loads  likewise of cgroups by their paths, while the view cgroups was shown
 *   processes  one row for a process while its facts stay the same, with its last interval (NULL:
 * not known to have ended); `tasks` likewise for threads, with the first interval of that row too.
 * Tasks that live for a few intervals have none, nor have processes that began and ended in one:
 * their names are in task_packs
 *   task_packs tasks with their counts in an interval: task_first <= id <= task_last of the
 * interval (record/task_pack.h); kind: enum pack_kind, and COLUMNS_FROM more if in columns
 *   task_rows  the same in recordings of format 1, a row for each task
 *   texts      names that packs have keys of, with the interval in which they came up
 *   cpu_rows   a CPU's counts, likewise; cpu -1: the idle tasks of all CPUs, -2: unattributed
 *   profiles   what was sampled in an interval (sample/profile.h), with its rows: first <= id <=
 * last; `beside`: names of the events b0, b1 ... read with the samples, one per line
 *   profile_rows  samples of a thread in a function: `weight` is the estimated count
 *   functions, objects  with their names; state as enum code_state
 *   stacks     a caller, and the id of its own caller, which is less; 0: none
 *
 * Old recordings have no `loads`, or one with fewer columns, and nothing about functions; those of
 * format 1 have no packs, those of format 2 have packs in rows. Continuing one adds what it lacks,
 * and makes it one of this format.
 *
 * In task_rows and cpu_rows the columns c0, c1 ... are the counts of the events 0, 1 ... of the
 * interval's event set; e0, r0, e1 ... are the nanoseconds in which its groups 0, 1 ... were
 * enabled and running (perf_event_open(2)). r is NULL if the group was running as long as enabled.
 * If
 * that holds for all tasks of an interval, e is NULL too in task_rows and means the time on a CPU;
 * packs then have no times. Columns are added when a set needs more. All other times are in ns too.
 * Bits of flags: see below.
 *
 * The views are for people and have the events' names as columns: task_counts, cpu_counts and
 * summary (idle, unattributed and total of each interval). They show counts as the program does:
 * scaled if a group was multiplexed, NULL if nothing was counted, times in seconds. The reader does
 * not use them. */
#ifndef RECORD_SCHEMA_H
#define RECORD_SCHEMA_H

#include "record/db.h"
#include "sample/snapshot.h"

enum { SCHEMA_APPLICATION = 0x63746f70, SCHEMA_VERSION = 3 };

/* Flags of tasks: it ended, and its process did; in packs only: it existed and did nothing. Above
 * them enum event_state. */
enum { ROW_EXITED = 1, ROW_PROCESS_EXITED = 2, ROW_SLEPT = 4, ROW_STATE_SHIFT = 4 };
enum { COLUMNS_FROM = 3 }; /* added to enum pack_kind where a pack is in columns */
enum { ROW_IDLE = -1, ROW_UNATTRIBUTED = -2, ROW_SELF = -1 }; /* instead of a CPU */

/* Limits of the reader, which the writer keeps too. */
enum { SCHEMA_BESIDE_MAX = 7 }; /* events read with samples, in profile_rows */
enum { SCHEMA_EVENTS_MAX = 400, SCHEMA_CPUS_MAX = 1 << 16, SCHEMA_TEXT_MAX = 1 << 16 };

/* The memory that a task and its process take in a snapshot, about. */
size_t schema_task_bytes(const struct event_set *set);

/* Makes an empty database a recording. */
int schema_create(struct db *db, struct err *err);
/* Adds tables and columns that old recordings lack. */
int schema_complete(struct db *db, struct err *err);

/* 0 if it is a recording of this version or an older one, whose tables are plain ones: nothing in
 * them is computed. Else -1 with a message that says what it is. what: for db_fail(). */
int schema_check(struct db *db, const char *what, struct err *err);
/* Whether recordings have a table of that name, which schema_check() has checked then. */
bool schema_has_table(const char *name);

/* Adds columns for that many events and groups. */
int schema_extend(struct db *db, size_t events, size_t groups, struct err *err);

/* The columns of counts, in task_rows and in cpu_rows: ", c0, c1, e0, r0". The caller frees it. */
char *schema_counts(size_t events, size_t groups);

/* Makes the views again, for all event sets in the recording. */
int schema_views(struct db *db, struct err *err);

#endif
