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

/* Looks up facts of a process when it is first recorded, when its name or its owner has changed,
 * and its cgroup once a second while it runs. As in struct view_lookup; all may be NULL. */
struct write_meta_lookup {
    void *ctx;
    const char *(*user)(void *ctx, uid_t uid);
    char *(*cmdline)(void *ctx, pid_t pid);
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
    struct map processes, tasks;                /* living ones, by id */
    struct map texts;                           /* written recently, by hash */
    int64_t last_process, last_task, last_text; /* keys, never reused */
    sqlite3_stmt *add_process, *end_process, *add_task, *end_task, *add_text;
};

int write_meta_init(struct write_meta *meta, struct db *db, const struct write_meta_lookup *lookup,
                    struct err *err);
void write_meta_release(struct write_meta *meta); /* a zeroed one, too */

/* Sets run, session, set and generation for an interval with this session and these events; writes
 * rows for new ones. *views is set if the views lack some events. */
int write_meta_begin(struct write_meta *meta, const struct session *session,
                     const struct run_facts *facts, struct event_set *events, bool *views,
                     struct err *err);

/* The next interval continues the run, session and generation of another recording, whose copy this
 * is. */
void write_meta_continue(struct write_meta *meta, const struct write_meta *from);

/* The keys of their rows in `processes` and `tasks`, written if necessary; 0 if writing failed.
 * Frees the state of what has exited. ran: in the interval, so that its cgroup may be asked. */
int64_t write_meta_process(struct write_meta *meta, const struct process_info *process, bool ran,
                           int64_t interval);
int64_t write_meta_task(struct write_meta *meta, const struct task_sample *task, int64_t process,
                        int64_t interval);
/* Whether a task gets no row in `tasks` in this interval, so that its names are beside what it did:
 * until its fourth interval, as most that live no longer, and when it ends without one; not if it
 * was sleeping when it was first seen. Ask once per interval. active: it did something. */
enum { BRIEF_INTERVALS = 4 };
bool write_meta_is_brief(struct write_meta *meta, const struct task_sample *task, bool active,
                         int64_t interval);
/* The key of a row in `texts`, at most TEXTS_BACK before the newest; 0 if writing failed. */
enum { TEXTS_BACK = 4096 };
int64_t write_meta_text(struct write_meta *meta, const char *text, int64_t interval);

/* Deletes what ended, and texts that were written, so long before an interval that it does not need
 * them. all: also processes and tasks that live and were not in it or later ones; they are written
 * again when they reappear. */
int write_meta_forget(struct write_meta *meta, int64_t interval, bool all, struct err *err);

#endif
