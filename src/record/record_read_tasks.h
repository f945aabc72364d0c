/* Reads and caches the tasks and processes of a recording. Part of record/reader. */
#ifndef RECORD_RECORD_READ_TASKS_H
#define RECORD_RECORD_READ_TASKS_H

#include "base/map.h"
#include "record/db.h"
#include "sample/snapshot.h"

/* A process while its facts stayed the same. */
struct record_read_tasks_process {
    struct process_info info;      /* without exited */
    char *user, *cmdline, *cgroup; /* NULL: not known */
    size_t place;                  /* index in the snapshot being made, + 1; 0: not in it yet */
};

/* A task while its facts stayed the same. */
struct record_read_tasks_task {
    uint64_t id;
    pid_t tid;
    char comm[TASK_COMM_SIZE];
    struct record_read_tasks_process *process;
    bool listed; /* in the snapshot being made */
};

struct record_read_tasks {
    struct map tasks, processes; /* by their keys */
    struct map present;          /* processes of the snapshot by pid */
    struct map users;            /* names by uid + 1; owned by processes */
    sqlite3_stmt *find_task, *find_process;
};

int record_read_tasks_init(struct record_read_tasks *cache, struct db *db, struct err *err);
void record_read_tasks_release(struct record_read_tasks *cache);

/* Begins another snapshot. Clears the cache if it is large, so earlier tasks become invalid. */
void record_read_tasks_begin(struct record_read_tasks *cache);

/* The task with that key in `tasks`; NULL if it is missing or invalid. */
struct record_read_tasks_task *record_read_tasks_find(struct record_read_tasks *cache, int64_t key);

#endif
