/* Writes what changes rarely: the run, sessions, events, processes and tasks, each once, and again
 * when it has changed. Part of record/writer. */
#ifndef RECORD_WRITE_META_H
#define RECORD_WRITE_META_H

#include "base/map.h"
#include "record/schema.h"
#include "sample/session.h"

/* The program, and the machine that metrics are chosen for (metric/machine.h). */
struct run_facts {
    const char *version;  /* of the program */
    const char *known_as; /* names of the machine, one per line */
    double ghz_nominal;   /* 0: not known */
};

/* Looks up facts of a process when it is first recorded, and when its name has changed. As in
 * struct view_lookup; all may be NULL. */
struct write_meta_lookup {
    void *ctx;
    const char *(*user)(void *ctx, uid_t uid);
    bool (*cmdline)(void *ctx, pid_t pid, char *buffer, size_t size);
    bool (*cgroup)(void *ctx, pid_t pid, char *path, size_t size);
};

struct known_set {
    int64_t id;
    struct event_set *events;
};

struct write_meta {
    struct db *db;
    int64_t run, session, set, generation; /* ids for the next interval; 0 before the first */
    char *session_values;                  /* of the session's row, as SQL */
    struct event_set *events;              /* of the last interval */
    struct known_set *sets;                /* all sets of this run */
    size_t set_count, set_room;
    struct write_meta_lookup lookup;
    struct map processes, tasks;     /* living ones, by id */
    int64_t last_process, last_task; /* keys, never reused */
    sqlite3_stmt *add_process, *add_task, *end_task;
};

int write_meta_init(struct write_meta *meta, struct db *db, const struct write_meta_lookup *lookup,
                    struct err *err);
void write_meta_release(struct write_meta *meta); /* a zeroed one, too */

/* Sets run, session, set and generation for an interval with this session and these events; writes
 * rows for new ones. *views is set if the views lack some events. */
int write_meta_begin(struct write_meta *meta, const struct session *session,
                     const struct run_facts *facts, struct event_set *events, bool *views,
                     struct err *err);

/* The keys of their rows in `processes` and `tasks`, written if necessary; 0 if writing failed.
 * Frees the state of a task that has exited. */
int64_t write_meta_process(struct write_meta *meta, const struct process_info *process);
int64_t write_meta_task(struct write_meta *meta, const struct task_sample *task, int64_t process,
                        int64_t interval);

/* Call after rows of `processes` were deleted: the processes are written again when they reappear;
 * all: also all others, and all tasks. */
int write_meta_forget(struct write_meta *meta, bool all, struct err *err);

#endif
