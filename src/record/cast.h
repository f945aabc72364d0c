/* Who is in a recording, as it is read: each task with its process, remembered. Part of
 * record/reader. */
#ifndef RECORD_CAST_H
#define RECORD_CAST_H

#include "base/map.h"
#include "record/db.h"
#include "sample/snapshot.h"

/* A process as long as its facts were the same. */
struct cast_process {
    struct process_info info;      /* but exited */
    char *user, *cmdline, *cgroup; /* NULL: not known */
    size_t place;                  /* in the snapshot that is made, + 1; 0: not there yet */
};

/* Likewise a task. */
struct cast_task {
    uint64_t id;
    pid_t tid;
    char comm[TASK_COMM_SIZE];
    struct cast_process *process;
    bool listed; /* in the snapshot that is made */
};

struct cast {
    struct map tasks, processes; /* by their keys */
    struct map present;          /* processes of the snapshot by pid */
    struct map users;            /* names by uid + 1; owned by processes */
    sqlite3_stmt *find_task, *find_process;
};

int cast_init(struct cast *cast, struct db *db, struct err *err);
void cast_release(struct cast *cast);

/* Another snapshot is made: nobody is in it yet. What was remembered is forgotten when it is much,
 * so tasks got before are no longer valid. */
void cast_begin(struct cast *cast);

/* The task with that key in `tasks`; NULL where it is not in the recording, or makes no sense. */
struct cast_task *cast_find(struct cast *cast, int64_t key);

#endif
