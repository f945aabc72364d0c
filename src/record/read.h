/* The parts of record/reader. Each reads some tables of a recording; the reader owns them, the
 * connection owns their statements. */
#ifndef RECORD_READ_H
#define RECORD_READ_H

#include "base/map.h"
#include "record/schema.h"
#include "record/task_pack.h"
#include "sample/source.h"

/* ---- sessions and events, and a cache of them, of processes and of tasks ---- */

/* A process while its facts stayed the same. */
struct recorded_process {
    struct process_info info;      /* without exited */
    char *user, *cmdline, *cgroup; /* NULL: not known */
    size_t place;                  /* index in the snapshot being made, + 1; 0: not in it yet */
};

struct read_meta {
    struct db *db;
    int64_t session_id; /* 0: none read yet */
    int64_t run;
    struct session session;
    struct run_facts facts;
    char *version, *known_as; /* owned texts of the facts */
    int64_t set, generation;  /* of events */
    struct event_set *events; /* NULL: none read yet */
    struct event_set *known;  /* the object for known_generation, see reader_know(); NULL: none */
    int64_t known_generation;
    struct map tasks, processes; /* by their keys */
    struct map present;          /* processes of the snapshot by pid */
    struct map users;            /* names by uid + 1; owned by processes and texts */
    struct map texts;            /* by their keys */
    size_t remembered;           /* bytes of all these, about */
    bool idle;                   /* tasks that did nothing are wanted */
    bool tells_cgroups;          /* the snapshot being made does */
    struct map cgroups;          /* their paths by hash; owned by `texts` */
    struct pack pack;            /* read last */
};

void read_meta_release(struct read_meta *meta);

/* The first sets session, run and facts, the second set and events. -1 if the recording lacks them
 * or they are invalid. */
int read_meta_session(struct read_meta *meta, int64_t session);
int read_meta_events(struct read_meta *meta, int64_t set, int64_t generation);

/* Cuts a text that is too long, and makes it harmless on a terminal (str_clean()); returns it. NULL
 * stays NULL. lines: except newlines. */
char *read_meta_clean(char *text, bool lines);

/* ---- the tasks of an interval ---- */

/* Begins another snapshot. Clears the cache of tasks if it is large. */
void read_tasks_begin(struct read_meta *meta);
void read_tasks_release(struct read_meta *meta);

/* Adds the tasks of a pack that a query has: its id, and pack_columns(). False if they are invalid.
 */
bool read_tasks_pack(struct read_meta *meta, struct snapshot *s, sqlite3_stmt *row);
/* Adds the known tasks that existed and did nothing. False if they are invalid. */
bool read_tasks_idle(struct read_meta *meta, struct snapshot *s, int64_t interval);
/* Adds the facts of waits and the takers of an interval to its tasks, which the snapshot has. */
bool read_tasks_waits(struct read_meta *meta, struct snapshot *s, int64_t interval);
/* What a task waited for at the end of an interval; its texts are valid until the next snapshot is
 * begun. False: it is not known. */
bool read_tasks_wait(struct read_meta *meta, int64_t interval, pid_t tid, struct task_wait *wait);

/* ---- profiles ---- */

struct read_profile {
    struct db *db;
    struct code_book *book; /* the recording's functions; NULL: none read yet */
    struct map functions;   /* their places, by the keys of their rows */
    struct map codes;       /* not NULL: the code of that function is in the book, with lines */
    struct map sources;     /* bytes of source files in the book, by their paths' hashes */
    bool has_code;          /* the recording has some */
};

void read_profile_release(struct read_profile *profiles);

/* The profile of an interval; NULL if it has none. False if it is invalid. */
bool read_profile_read(struct read_profile *profiles, int64_t interval, struct profile **profile);

#endif
