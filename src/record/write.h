/* The parts of record/writer. Each writes some tables of a recording; the writer owns them, the
 * connection owns their statements. */
#ifndef RECORD_WRITE_H
#define RECORD_WRITE_H

#include "base/map.h"
#include "record/schema.h"
#include "record/task_pack.h"
#include "sample/source.h"

/* ---- the run, sessions and events, each once, and again when it has changed ---- */

struct known_set {
    int64_t id;
    char *rows; /* its INSERTs */
};

struct write_meta {
    struct db *db;
    int64_t run, session, set, generation; /* ids for the next interval; 0 before the first */
    char *session_row;                     /* its INSERT */
    struct event_set *events;              /* of the last interval */
    struct known_set *sets;                /* all sets of this run */
    size_t set_count, set_room;
    struct writer_lookup lookup;
    struct run_facts facts;
    char *known_as; /* of these */
};

void write_meta_init(struct write_meta *meta, struct db *db, const struct writer_options *options);
void write_meta_release(struct write_meta *meta); /* a zeroed one, too */

/* Sets run, session, set and generation for an interval with this session and these events; writes
 * rows for new ones. *views is set if the views lack some events. */
int write_meta_begin(struct write_meta *meta, const struct session *session,
                     struct event_set *events, bool *views, struct err *err);
/* The next interval continues the run, session and generation of another recording, whose copy this
 * is. */
void write_meta_continue(struct write_meta *meta, const struct write_meta *from);

/* ---- processes and tasks, each once, and again when it has changed; and what tasks did in an
 * interval, as packs (record/task_pack.h) ---- */

enum { BRIEF_INTERVALS = 4 }; /* in which a task has no row in `tasks` */

/* Tasks of a kind are in a pack of their own. */
enum task_kind {
    TASK_KNOWN, /* they have a row in `tasks` */
    TASK_BRIEF, /* they have none, but their process has one in `processes` */
    TASK_ALONE, /* each began and ended in the interval, and was its process's only task */
    TASK_KINDS
};

struct write_tasks {
    struct write_meta *meta;
    sqlite3_stmt *add_pack;
    struct map processes, tasks;                /* living ones, by id */
    struct map containers;                      /* whose names were written, by hash of the path */
    struct map texts;                           /* written recently, by hash */
    int64_t last_process, last_task, last_text; /* keys, never reused */
    int64_t pack;                               /* id of the one written last */
    struct process_use *uses;                   /* for each process of the snapshot */
    size_t use_room;
    bool tells_cgroups;            /* the interval being written does */
    struct pack packs[TASK_KINDS]; /* not yet written */
};

/* meta is the recording's, and outlives it. */
void write_tasks_init(struct write_tasks *tasks, struct write_meta *meta);
void write_tasks_release(struct write_tasks *tasks); /* a zeroed one, too */

/* Writes those that are or may be watched and did something; of the others only that they existed.
 * number: of the interval. False if that failed. */
bool write_tasks_take(struct write_tasks *tasks, const struct snapshot *interval,
                      const struct watch *watch, int64_t number);

/* Writes what a task waited for at the end of an interval. False if that failed. */
bool write_tasks_wait(struct write_tasks *tasks, const struct task_wait *wait, int64_t number);

/* Deletes what ended, and texts that were written, so long before an interval that it does not need
 * them. all: also processes and tasks that live and were not in it or later ones; they are written
 * again when they reappear. */
int write_tasks_forget(struct write_tasks *tasks, int64_t interval, bool all, struct err *err);

/* ---- profiles: functions with their names, so that a replay needs no programs ---- */

struct write_profile {
    struct db *db;
    struct code_book *book;                /* whose numbers are in the maps; NULL: none yet */
    struct map objects, functions, stacks; /* keys of rows, by hashes */
    struct map codes;  /* by function's key: how much of its code is written, see write_code() */
    bool code_pending; /* ... and more is being read */
    size_t pending_count, pending_room;
    struct unnamed_function *pending;     /* written before their names were known */
    int64_t object, function, stack, row; /* ids of the rows written last */
};

void write_profile_init(struct write_profile *profiles, struct db *db);
void write_profile_release(struct write_profile *profiles); /* a zeroed one, too */
/* Names that another recording, whose copy this is, still looks up are added to this one, too. */
void write_profile_continue(struct write_profile *profiles, const struct write_profile *from);

/* Adds an interval's profile. Names that were still looked up for earlier ones are added, and the
 * code of functions that were looked at. False if it could not be written. */
bool write_profile_take(struct write_profile *profiles, int64_t interval,
                        const struct profile *profile);

/* Adds names and code that are found soon. `last`: no more follow; names are waited for as
 * code_book_await() does. */
void write_profile_finish(struct write_profile *profiles, bool last);

/* Call after rows were deleted: everything is written again when it reappears. */
void write_profile_forget(struct write_profile *profiles);

#endif
