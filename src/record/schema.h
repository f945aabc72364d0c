/* The format of a recording: record/schema.sql has its tables, and what they mean; record/views.sql
 * makes the views for people. task_rows has the numbers of task_packs, a row for each task.
 * task_counts, cpu_counts and summary (idle, unattributed and total of each interval) have the
 * events' names as columns, and show counts as the program does: scaled if a group was multiplexed,
 * NULL if nothing was counted, times in seconds. The reader uses no view. Only record/writer and
 * record/reader use this header. */
#pragma once

#include "record/db.h"
#include "sample/snapshot.h"

enum { SCHEMA_APPLICATION = 0x63746f70, SCHEMA_VERSION = 5 };

/* Flags of tasks: it ended; its process ended; it existed and did nothing; the row is not the
 * task's, but has what it had counted in the interval when it left a cgroup. The bits above them
 * are the enum event_state of the task. */
enum { ROW_EXITED = 1, ROW_PROCESS_EXITED = 2, ROW_SLEPT = 4, ROW_MOVED = 8, ROW_STATE_SHIFT = 4 };
enum { ROW_IDLE = -1, ROW_UNATTRIBUTED = -2, ROW_SELF = -1 }; /* instead of a CPU */

enum { BRIEF_INTERVALS = 4 }; /* in which a new task has no row in `tasks` */

/* Limits that the reader checks and the writer keeps. SQLite's limit of 2000 columns in a table is
 * that of events: a pack has up to six for each. */
enum { SCHEMA_BESIDE_MAX = 7 }; /* events read with samples, in profile_rows */
enum { SCHEMA_EVENTS_MAX = 320, SCHEMA_CPUS_MAX = 1 << 16 };

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
    const char *(*container)(void *ctx, const char *path);
    /* Walks over what tasks were found to wait for since the frame before: *at 0 begins; false at
     * the end. Asked after the frame of an interval was shown. */
    bool (*wait)(void *ctx, size_t *at, struct task_wait *wait);
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

/* Checks that the database is a recording of this format with all its tables, and that SQLite has
 * nothing to execute to read them: no views in their place, no computed columns. -1 with a message
 * that says what it is instead, which begins with `what` as that of db_fail(). */
int schema_check(struct db *db, const char *what, struct err *err);
/* Whether schema_check() checks a table of that name. */
bool schema_has_table(const char *name);

/* Adds the columns that sets with that many events and groups need. -1 with a message. */
int schema_extend(struct db *db, size_t events, size_t groups, struct err *err);

/* The columns of what the kernel tells of a CPU or a cgroup, for SQL: ", total, busy". The caller
 * frees it. */
char *schema_times(const struct kernel_time_name *names, size_t count);

/* Makes the views for all event sets in the recording, in place of those that are there. -1 with a
 * message. */
int schema_views(struct db *db, struct err *err);

/* --- A pack: the numbers of up to PACK_ROWS tasks in one interval, as one row of the table
 * task_packs, which record/schema.sql describes. A row for each task takes up to three times the
 * space. The writer of a recording fills packs and owns them, the reader has one that it reads each
 * row into. --- */

/* The numbers of a task in a pack; behind them a pack has its counts and the times of groups. All
 * tasks of a pack have the same fields; the others are PACK_ABSENT, and NULL in the table. The rows
 * of a task that moved to another cgroup have ROW_MOVED: what it had counted in the interval when
 * it left one. */
enum pack_field {
    PACK_FLAGS, /* record/schema.h: ROW_EXITED and so on */
    PACK_CPU,
    PACK_ONCPU, /* ns */
    PACK_TASK,  /* key in `tasks`; with it none of the following */
    PACK_IDENT, /* as in `tasks`, as are: */
    PACK_TID,
    PACK_COMM,          /* key in `texts` */
    PACK_PROCESS,       /* key in `processes`; with it none of the following */
    PACK_PROCESS_IDENT, /* of a process that has only this task, as in `processes`, as are: */
    PACK_PPID,
    PACK_UID,          /* + 1; 0: not known */
    PACK_USER,         /* key in `texts`; 0: not known */
    PACK_PROCESS_COMM, /* key in `texts` */
    PACK_COMMAND,
    PACK_CGROUP, /* of each kind: key in `texts`; 0: not known */
    PACK_FIELDS
};

enum { PACK_ROWS = 32, PACK_NEAR_MAX = 62 };

#define PACK_ABSENT INT64_MIN

/* Zeroed before its first use; freed by pack_release(). */
struct pack {
    size_t rows;       /* tasks */
    bool timed;        /* it has the times of groups; else these are all PACK_ONCPU */
    int64_t near;      /* bit e: counts of event e, below PACK_NEAR_MAX, are differences */
    size_t events;     /* of the event set */
    size_t columns;    /* fields, events, and two times for each group */
    uint64_t *numbers; /* PACK_ROWS of each column */
    size_t room;
};

/* Empties a pack for tasks that are counted with these events. */
void pack_begin(struct pack *pack, const struct event_set *set);
void pack_release(struct pack *pack);

/* Adds a task, for which there must be room. */
void pack_add(struct pack *pack, const int64_t field[PACK_FIELDS], const struct counts *counts);
/* One number, and the counts and times of a row, which exists. */
int64_t pack_field(const struct pack *pack, enum pack_field field, size_t row);
void pack_counts(const struct pack *pack, size_t row, const struct event_set *set,
                 struct counts *counts);

/* The columns of counts and times in cpu_rows, for SQL: ", c0, c1, e0, r0". The caller frees it. */
char *pack_count_columns(size_t events, size_t groups);

/* The columns of a pack behind its id, for SQL: "tasks, near, flags, flags_more ..." with the
 * counts and times of that many events and groups. The caller frees it. */
char *pack_columns(size_t events, size_t groups);
/* Binds them to the parameters of an INSERT, whose second is the first of them, and runs it; its
 * first parameter is the id. False if SQLite fails. */
bool pack_write(struct pack *pack, sqlite3_stmt *insert, int64_t id);
/* Reads them from a row, whose second column is the first of them. False if they are no pack. */
bool pack_read(struct pack *pack, sqlite3_stmt *row, const struct event_set *set);
