/* Who is in a recording, as it is written: each process and thread once, and again when what is
 * told of it has changed. Part of record/writer. */
#ifndef RECORD_ROLL_H
#define RECORD_ROLL_H

#include "base/map.h"
#include "record/db.h"
#include "sample/snapshot.h"

/* What is asked of a process when it is first recorded, and when its name has changed; all may be
 * NULL. As in struct view_lookup. */
struct roll_facts {
    void *ctx;
    const char *(*user)(void *ctx, uid_t uid);
    bool (*cmdline)(void *ctx, pid_t pid, char *buffer, size_t size);
    bool (*cgroup)(void *ctx, pid_t pid, char *path, size_t size);
};

struct roll {
    struct roll_facts facts;
    struct map processes, tasks;     /* those that live, by their id */
    int64_t last_process, last_task; /* keys, never used twice */
    sqlite3_stmt *add_process, *add_task, *end_task;
};

int roll_init(struct roll *roll, struct db *db, const struct roll_facts *facts, struct err *err);
void roll_release(struct roll *roll);

/* The keys of the rows in `processes` and `tasks` that tell of them, 0 where writing failed. A task
 * that has exited is let go of. */
int64_t roll_process(struct roll *roll, const struct process_info *process);
int64_t roll_task(struct roll *roll, const struct task_sample *task, int64_t process, int64_t run,
                  int64_t interval);

/* Whoever is met again is written again. */
void roll_forget(struct roll *roll);

/* After rows of `processes` were deleted: of those that are gone the process is written again when
 * it is met again. */
int roll_check(struct roll *roll, struct db *db, struct err *err);

#endif
