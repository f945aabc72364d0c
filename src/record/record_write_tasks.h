/* Who is in a recording, as it is written: each process and thread once, and again when what is
 * told of it has changed. Part of record/writer. */
#ifndef RECORD_RECORD_WRITE_TASKS_H
#define RECORD_RECORD_WRITE_TASKS_H

#include "base/map.h"
#include "record/db.h"
#include "sample/snapshot.h"

/* What is asked of a process when it is first recorded, and when its name has changed; all may be
 * NULL. As in struct view_lookup. */
struct record_write_tasks_facts {
    void *ctx;
    const char *(*user)(void *ctx, uid_t uid);
    bool (*cmdline)(void *ctx, pid_t pid, char *buffer, size_t size);
    bool (*cgroup)(void *ctx, pid_t pid, char *path, size_t size);
};

struct record_write_tasks {
    struct record_write_tasks_facts facts;
    struct map processes, tasks;     /* those that live, by their id */
    int64_t last_process, last_task; /* keys, never used twice */
    sqlite3_stmt *add_process, *add_task, *end_task;
};

int record_write_tasks_init(struct record_write_tasks *roll, struct db *db,
                            const struct record_write_tasks_facts *facts, struct err *err);
void record_write_tasks_release(struct record_write_tasks *roll);

/* The keys of the rows in `processes` and `tasks` that tell of them, 0 where writing failed. A task
 * that has exited is let go of. */
int64_t record_write_tasks_process(struct record_write_tasks *roll,
                                   const struct process_info *process);
int64_t record_write_tasks_task(struct record_write_tasks *roll, const struct task_sample *task,
                                int64_t process, int64_t run, int64_t interval);

/* Whoever is met again is written again. */
void record_write_tasks_forget(struct record_write_tasks *roll);

/* After rows of `processes` were deleted: of those that are gone the process is written again when
 * it is met again. */
int record_write_tasks_check(struct record_write_tasks *roll, struct db *db, struct err *err);

#endif
