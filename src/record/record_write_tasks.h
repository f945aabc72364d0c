/* Writes the processes and tasks of a recording: each once, and again when its facts have changed.
 * Part of record/writer. */
#ifndef RECORD_RECORD_WRITE_TASKS_H
#define RECORD_RECORD_WRITE_TASKS_H

#include "base/map.h"
#include "record/db.h"
#include "sample/snapshot.h"

/* Looks up facts of a process when it is first recorded, and when its name has changed. As in
 * struct view_lookup; all may be NULL. */
struct record_write_tasks_facts {
    void *ctx;
    const char *(*user)(void *ctx, uid_t uid);
    bool (*cmdline)(void *ctx, pid_t pid, char *buffer, size_t size);
    bool (*cgroup)(void *ctx, pid_t pid, char *path, size_t size);
};

struct record_write_tasks {
    struct record_write_tasks_facts facts;
    struct map processes, tasks;     /* living ones, by id */
    int64_t last_process, last_task; /* keys, never reused */
    sqlite3_stmt *add_process, *add_task, *end_task;
};

int record_write_tasks_init(struct record_write_tasks *written, struct db *db,
                            const struct record_write_tasks_facts *facts, struct err *err);
void record_write_tasks_release(struct record_write_tasks *written);

/* The keys of their rows in `processes` and `tasks`, written if necessary; 0 if writing failed.
 * Frees the state of a task that has exited. */
int64_t record_write_tasks_process(struct record_write_tasks *written,
                                   const struct process_info *process);
int64_t record_write_tasks_task(struct record_write_tasks *written, const struct task_sample *task,
                                int64_t process, int64_t run, int64_t interval);

/* Writes every process and task again when it comes again. */
void record_write_tasks_forget(struct record_write_tasks *written);

/* To be called after rows of `processes` were deleted: writes those processes again when they come
 * again. */
int record_write_tasks_check(struct record_write_tasks *written, struct db *db, struct err *err);

#endif
