#include "record/record_write_tasks.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { LINE_SIZE = 4096 };

struct known_process {
    int64_t key;
    struct process_info info;
};

struct known_task {
    int64_t key, process;
    pid_t tid;
    char comm[TASK_COMM_SIZE];
};

int record_write_tasks_init(struct record_write_tasks *written, struct db *db,
                            const struct record_write_tasks_facts *facts, struct err *err)
{
    *written = (struct record_write_tasks){.facts = *facts};
    map_init(&written->processes);
    map_init(&written->tasks);
    written->last_process = db_number(db, "SELECT max(id) FROM processes", 0);
    written->last_task = db_number(db, "SELECT max(id) FROM tasks", 0);
    written->add_process = db_prepare(
        db, "INSERT INTO processes VALUES (?10, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)", err);
    written->add_task =
        db_prepare(db, "INSERT INTO tasks VALUES (?8, ?1, ?2, ?3, ?4, ?5, ?6, ?7)", err);
    written->end_task = db_prepare(db, "UPDATE tasks SET last = ?2 WHERE id = ?1", err);
    return written->add_process && written->add_task && written->end_task ? 0 : -1;
}

static void free_all(struct map *map)
{
    void *value;
    for (size_t at = 0; (value = map_next(map, &at));)
        free(value);
    map_release(map);
}

void record_write_tasks_release(struct record_write_tasks *written)
{
    free_all(&written->processes);
    free_all(&written->tasks);
    sqlite3_finalize(written->add_process);
    sqlite3_finalize(written->add_task);
    sqlite3_finalize(written->end_task);
}

/* Runs a statement with bound values. */
static bool write_tasks_run(sqlite3_stmt *statement)
{
    bool done = sqlite3_step(statement) == SQLITE_DONE;
    sqlite3_reset(statement);
    return done;
}

static void add_process(struct record_write_tasks *written, struct known_process *known)
{
    const struct record_write_tasks_facts *facts = &written->facts;
    const struct process_info *info = &known->info;
    sqlite3_stmt *add = written->add_process;
    char line[LINE_SIZE], path[LINE_SIZE];
    bool named = info->uid != (uid_t)-1;
    bool has_line = !info->exited && facts->cmdline &&
                    facts->cmdline(facts->ctx, info->pid, line, sizeof(line));
    bool has_path =
        !info->exited && facts->cgroup && facts->cgroup(facts->ctx, info->pid, path, sizeof(path));
    sqlite3_bind_int64(add, 1, (int64_t)info->id);
    sqlite3_bind_int(add, 2, info->pid);
    sqlite3_bind_int(add, 3, info->ppid);
    if (named)
        sqlite3_bind_int64(add, 4, info->uid);
    else
        sqlite3_bind_null(add, 4);
    db_bind_text(add, 5, named && facts->user ? facts->user(facts->ctx, info->uid) : NULL);
    db_bind_text(add, 6, info->comm);
    sqlite3_bind_int(add, 7, info->command);
    db_bind_text(add, 8, has_line ? line : NULL);
    db_bind_text(add, 9, has_path ? path : NULL);
    sqlite3_bind_int64(add, 10, ++written->last_process);
    known->key = write_tasks_run(add) ? written->last_process : 0;
}

static bool same_process(const struct process_info *a, const struct process_info *b)
{
    return a->pid == b->pid && a->ppid == b->ppid && a->uid == b->uid && a->command == b->command &&
           strcmp(a->comm, b->comm) == 0;
}

int64_t record_write_tasks_process(struct record_write_tasks *written,
                                   const struct process_info *process)
{
    struct known_process *known = map_get(&written->processes, process->id);
    if (!known) {
        known = mem_alloc(sizeof(*known));
        map_put(&written->processes, process->id, known);
    }
    if (!known->key || !same_process(&known->info, process)) {
        known->info = *process;
        add_process(written, known);
    }
    int64_t key = known->key;
    if (process->exited)
        free(map_remove(&written->processes, process->id));
    return key;
}

static bool end_task(const struct record_write_tasks *written, int64_t key, int64_t last)
{
    sqlite3_bind_int64(written->end_task, 1, key);
    sqlite3_bind_int64(written->end_task, 2, last);
    return write_tasks_run(written->end_task);
}

static void write_tasks_add_task(struct record_write_tasks *written, struct known_task *known,
                                 const struct task_sample *task, int64_t run_id, int64_t interval)
{
    sqlite3_stmt *add = written->add_task;
    memcpy(known->comm, task->comm, sizeof(known->comm));
    known->tid = task->tid;
    sqlite3_bind_int64(add, 1, run_id);
    sqlite3_bind_int64(add, 2, (int64_t)task->id);
    sqlite3_bind_int64(add, 3, known->process);
    sqlite3_bind_int(add, 4, task->tid);
    db_bind_text(add, 5, task->comm);
    sqlite3_bind_int64(add, 6, interval);
    if (task->exited)
        sqlite3_bind_int64(add, 7, interval);
    else
        sqlite3_bind_null(add, 7);
    sqlite3_bind_int64(add, 8, ++written->last_task);
    known->key = write_tasks_run(add) ? written->last_task : 0;
}

int64_t record_write_tasks_task(struct record_write_tasks *written, const struct task_sample *task,
                                int64_t process, int64_t run, int64_t interval)
{
    struct known_task *known = map_get(&written->tasks, task->id);
    bool same = known && known->process == process && known->tid == task->tid &&
                strcmp(known->comm, task->comm) == 0;
    bool good = true;
    if (known && !same)
        good = end_task(written, known->key, interval - 1);
    if (!known) {
        known = mem_alloc(sizeof(*known));
        map_put(&written->tasks, task->id, known);
    }
    known->process = process;
    if (!same)
        write_tasks_add_task(written, known, task, run, interval);
    else if (task->exited)
        good = end_task(written, known->key, interval);
    int64_t key = good ? known->key : 0;
    if (task->exited)
        free(map_remove(&written->tasks, task->id));
    return key;
}

void record_write_tasks_forget(struct record_write_tasks *written)
{
    free_all(&written->processes);
    free_all(&written->tasks);
    map_init(&written->processes);
    map_init(&written->tasks);
}

int record_write_tasks_check(struct record_write_tasks *written, struct db *db, struct err *err)
{
    sqlite3_stmt *find = db_prepare(db, "SELECT 1 FROM processes WHERE id = ?", err);
    if (!find)
        return -1;
    struct known_process *known;
    for (size_t at = 0; (known = map_next(&written->processes, &at));) {
        sqlite3_bind_int64(find, 1, known->key);
        if (sqlite3_step(find) != SQLITE_ROW)
            known->key = 0;
        sqlite3_reset(find);
    }
    sqlite3_finalize(find);
    return 0;
}
