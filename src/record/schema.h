/* The format of a recording, and the only one that is read: an SQLite database whose application_id
 * is "ctop" and whose user_version is SCHEMA_VERSION. It has exact counts that are not scaled, and
 * no ratios: these are computed from counts, so a new ratio works on an old recording. All times
 * are in ns. Only record/writer and record/reader use this header.
 *
 * runs: a row for each start of the program: the machine, the user, the CPUs.
 *
 * sessions: how it counted and what it watched; another row when that changes.
 *
 * event_sets, events: the events that were counted together; `events` has a row for each of them.
 *
 * intervals: a row for each refresh, numbered from 1, with its `length`.
 *
 * loads: the times of each of the machine's CPUs in an interval (system/kernel_times.h). NULL: the
 * kernel did not tell. They are parts of a total, which may differ from `length`. `again` is not 0
 * in a row that repeats an earlier interval's: leave it out of sums. In the row of CPU -1: the CPU
 * time of countertop itself, and over which time it was measured.
 *
 * cgroup_loads: the times of cgroups, by path, in intervals in which the view cgroups was shown.
 *
 * pressures: the machine's pressure (/proc/pressure).
 *
 * processes: a row for a process as long as none of its facts changes, with its last interval
 * (NULL: it is not known to have ended). tasks: the same for threads, with their first interval.
 * Tasks that live for a few intervals have no row in `tasks`, and processes that began and ended in
 * one interval have none in `processes`: their packs have the names.
 *
 * task_packs: what tasks did in an interval: the packs from task_first to task_last of its row
 * (record/task_pack.h). pack_places: 0 to PACK_ROWS - 1, for the view task_rows. texts: names that
 * packs refer to by key, with the first interval that needed them.
 *
 * cpu_rows: what CPUs counted in an interval: the rows from cpu_first to cpu_last of its row. CPU
 * -1: the idle tasks of all CPUs; -2: counts of no known task.
 *
 * profiles: how an interval was sampled (sample/profile.h). `beside`: the names of the events b0,
 * b1 ... that were read with the samples, one per line. profile_rows: the samples of a thread in a
 * function, from `first` to `last` of the profile's row; `weight` is the estimated count.
 *
 * alarms: why the recording was made (sample/source.h); no row: the user asked for it.
 *
 * functions, objects: their names; state as enum code_state. code, source_lines: the instructions
 * and source lines of functions. stacks: a function that called, and the id of its own caller,
 * which is less; 0: none.
 *
 * In task_rows and cpu_rows c0, c1 ... are the counts of the events 0, 1 ... of the interval's
 * event set; e0, r0, e1 ... are the times in which its groups 0, 1 ... were enabled and running
 * (perf_event_open(2)). r is NULL if the group was running as long as it was enabled, and e and r
 * of tasks are NULL if that holds for all tasks of an interval, and they were so as long as they
 * were on a CPU. The tables get more columns when an event set needs more.
 *
 * Views are for people. task_rows has the numbers of task_packs, a row for each task. task_counts,
 * cpu_counts and summary (idle, unattributed and total of each interval) have the events' names as
 * columns, and show counts as the program does: scaled if a group was multiplexed, NULL if nothing
 * was counted, times in seconds. The reader uses no view. */
#ifndef RECORD_SCHEMA_H
#define RECORD_SCHEMA_H

#include "record/db.h"
#include "sample/snapshot.h"

enum { SCHEMA_APPLICATION = 0x63746f70, SCHEMA_VERSION = 4 };

/* Flags of tasks: it ended; its process ended; it existed and did nothing; the row is not the
 * task's, but has what it had counted in the interval when it left a cgroup. The bits above them
 * are the enum event_state of the task. */
enum { ROW_EXITED = 1, ROW_PROCESS_EXITED = 2, ROW_SLEPT = 4, ROW_MOVED = 8, ROW_STATE_SHIFT = 4 };
enum { ROW_IDLE = -1, ROW_UNATTRIBUTED = -2, ROW_SELF = -1 }; /* instead of a CPU */

/* Limits that the reader checks and the writer keeps. SQLite's limit of 2000 columns in a table is
 * that of events: a pack has up to six for each. */
enum { SCHEMA_BESIDE_MAX = 7 }; /* events read with samples, in profile_rows */
enum { SCHEMA_EVENTS_MAX = 320, SCHEMA_CPUS_MAX = 1 << 16, SCHEMA_TEXT_MAX = 1 << 16 };

/* The program, and the machine that metrics are chosen for (metric/machine.h). */
struct run_facts {
    const char *version;  /* of the program */
    const char *known_as; /* names of the machine, one per line */
    double ghz_nominal;   /* 0: not known */
};

/* Looks up facts of a process when it is first recorded, when its name or its owner has changed,
 * and its cgroup once a second while it runs. As in struct view_lookup; all may be NULL. */
struct writer_lookup {
    void *ctx;
    const char *(*user)(void *ctx, uid_t uid);
    char *(*cmdline)(void *ctx, pid_t pid);
    bool (*cgroup)(void *ctx, pid_t pid, char *path, size_t size);
};

struct writer_options {
    const char *path; /* NULL: in memory, for reading through writer_db() */
    bool force;       /* replace an existing file of any kind */
    struct run_facts facts;
    struct writer_lookup lookup;
};

/* About how many bytes a task and its process take in a snapshot with that set. */
size_t schema_task_bytes(const struct event_set *set);

/* Makes an empty database a recording without intervals. -1 with a message. */
int schema_create(struct db *db, struct err *err);
/* Adds columns for what an earlier version did not record. -1 with a message. */
int schema_complete(struct db *db, struct err *err);

/* Checks that the database is a recording of this format with all its tables, and that SQLite has
 * nothing to execute to read them: no views in their place, no computed columns. -1 with a message
 * that says what it is instead, which begins with `what` as that of db_fail(). */
int schema_check(struct db *db, const char *what, struct err *err);
/* Whether schema_check() checks a table of that name. */
bool schema_has_table(const char *name);

/* Adds the columns that sets with that many events and groups need. -1 with a message. */
int schema_extend(struct db *db, size_t events, size_t groups, struct err *err);

/* The columns of counts and times, for SQL: ", c0, c1, e0, r0". The caller frees it. */
char *schema_counts(size_t events, size_t groups);

/* The columns of what the kernel tells of a CPU or a cgroup, for SQL: ", total, busy". The caller
 * frees it. */
char *schema_times(const struct kernel_time_name *names, size_t count);

/* Makes the views for all event sets in the recording, in place of those that are there. -1 with a
 * message. */
int schema_views(struct db *db, struct err *err);

#endif
