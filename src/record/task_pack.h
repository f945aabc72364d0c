/* A pack: the numbers of up to PACK_ROWS tasks in one interval, as one row of the table task_packs,
 * which record/schema.sql describes. A row for each task takes up to three times the space. The
 * writer of a recording fills packs and owns them, the reader has one that it reads each row into.
 */
#ifndef RECORD_TASK_PACK_H
#define RECORD_TASK_PACK_H

#include "record/db.h"
#include "sample/snapshot.h"

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
    PACK_CGROUP, /* of each kind: key in `texts`; 0: not known. Not in old recordings */
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
 * counts and times of that many events and groups. old: NULL for those that an old recording lacks.
 * The caller frees it. */
char *pack_columns(size_t events, size_t groups, bool old);
/* Binds them to the parameters of an INSERT, whose second is the first of them, and runs it; its
 * first parameter is the id. False if SQLite fails. */
bool pack_write(struct pack *pack, sqlite3_stmt *insert, int64_t id);
/* Reads them from a row, whose second column is the first of them. False if they are no pack. */
bool pack_read(struct pack *pack, sqlite3_stmt *row, const struct event_set *set);

#endif
