#include "record/record_read_tasks.h"
#include "base/mem.h"
#include "record/record_read_meta.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { REMEMBERED_MAX = 100000 }; /* tasks and processes: some 30 MiB */

int record_read_tasks_init(struct record_read_tasks *cache, struct db *db, struct err *err)
{
    *cache = (struct record_read_tasks){0};
    map_init(&cache->tasks);
    map_init(&cache->processes);
    map_init(&cache->present);
    map_init(&cache->users);
    cache->find_task =
        db_prepare(db, "SELECT run, ident, process, tid, comm FROM tasks WHERE id = ?1", err);
    cache->find_process = cache->find_task
                              ? db_prepare(db,
                                           "SELECT ident, pid, ppid, uid, comm, command,"
                                           " user, cmdline, cgroup FROM processes"
                                           " WHERE id = ?1",
                                           err)
                              : NULL;
    return cache->find_process ? 0 : -1;
}

static void read_tasks_forget(struct record_read_tasks *cache)
{
    struct record_read_tasks_task *task;
    struct record_read_tasks_process *process;
    for (size_t at = 0; (task = map_next(&cache->tasks, &at));)
        free(task);
    for (size_t at = 0; (process = map_next(&cache->processes, &at));) {
        free(process->user);
        free(process->cmdline);
        free(process->cgroup);
        free(process);
    }
    map_clear(&cache->tasks);
    map_clear(&cache->processes);
    map_clear(&cache->present);
    map_clear(&cache->users);
}

void record_read_tasks_release(struct record_read_tasks *cache)
{
    read_tasks_forget(cache);
    map_release(&cache->tasks);
    map_release(&cache->processes);
    map_release(&cache->present);
    map_release(&cache->users);
    sqlite3_finalize(cache->find_task);
    sqlite3_finalize(cache->find_process);
}

void record_read_tasks_begin(struct record_read_tasks *cache)
{
    struct record_read_tasks_task *task;
    struct record_read_tasks_process *process;
    if (cache->tasks.count > REMEMBERED_MAX)
        read_tasks_forget(cache);
    for (size_t at = 0; (task = map_next(&cache->tasks, &at));)
        task->listed = false;
    for (size_t at = 0; (process = map_next(&cache->processes, &at));)
        process->place = 0;
    map_clear(&cache->present);
}

static void read_tasks_copy_comm(char comm[TASK_COMM_SIZE], sqlite3_stmt *row, int column)
{
    const char *text = (const char *)sqlite3_column_text(row, column);
    strncpy(comm, text ? text : "", TASK_COMM_SIZE - 1);
}

/* Ids start at 1 with each run (sample/snapshot.h), so the run is added in the high bits, which
 * keeps their order. Ids of the first run stay unchanged: when looking back while counting, rows
 * have the same ids as now. */
static uint64_t read_tasks_id_of(int64_t run, int64_t ident)
{
    enum { RUN_SHIFT = 44, RUNS = 1 << 18 };
    return (((uint64_t)run - 1) % RUNS) << RUN_SHIFT |
           ((uint64_t)ident & ((1ull << RUN_SHIFT) - 1));
}

static bool is_id(sqlite3_stmt *row, int column)
{
    int64_t number = sqlite3_column_int64(row, column);
    return number >= 0 && number <= INT_MAX;
}

static struct record_read_tasks_process *make_process(struct record_read_tasks *cache,
                                                      sqlite3_stmt *row, int64_t run)
{
    if (!is_id(row, 1) || !is_id(row, 2))
        return NULL;
    struct record_read_tasks_process *process = mem_alloc(sizeof(*process));
    bool known = sqlite3_column_type(row, 3) == SQLITE_INTEGER;
    process->info = (struct process_info){
        .id = read_tasks_id_of(run, sqlite3_column_int64(row, 0)),
        .pid = sqlite3_column_int(row, 1),
        .ppid = sqlite3_column_int(row, 2),
        .uid = known ? (uid_t)sqlite3_column_int64(row, 3) : (uid_t)-1,
        .command = sqlite3_column_int(row, 5) != 0,
    };
    read_tasks_copy_comm(process->info.comm, row, 4);
    process->user = record_read_meta_text(row, 6);
    process->cmdline = record_read_meta_text(row, 7);
    process->cgroup = record_read_meta_text(row, 8);
    if (known && process->user)
        map_put(&cache->users, (uint64_t)process->info.uid + 1, process->user);
    return process;
}

static struct record_read_tasks_process *read_tasks_process_of(struct record_read_tasks *cache,
                                                               int64_t key, int64_t run)
{
    struct record_read_tasks_process *process = map_get(&cache->processes, (uint64_t)key);
    if (process)
        return process;
    sqlite3_bind_int64(cache->find_process, 1, key);
    if (sqlite3_step(cache->find_process) == SQLITE_ROW)
        process = make_process(cache, cache->find_process, run);
    sqlite3_reset(cache->find_process);
    if (process)
        map_put(&cache->processes, (uint64_t)key, process);
    return process;
}

struct record_read_tasks_task *record_read_tasks_find(struct record_read_tasks *cache, int64_t key)
{
    struct record_read_tasks_task *task = map_get(&cache->tasks, (uint64_t)key);
    if (task)
        return task;
    sqlite3_stmt *find = cache->find_task;
    sqlite3_bind_int64(find, 1, key);
    if (sqlite3_step(find) == SQLITE_ROW && is_id(find, 3)) {
        int64_t run = sqlite3_column_int64(find, 0);
        struct record_read_tasks_process *process =
            read_tasks_process_of(cache, sqlite3_column_int64(find, 2), run);
        if (process) {
            task = mem_alloc(sizeof(*task));
            task->process = process;
            task->id = read_tasks_id_of(run, sqlite3_column_int64(find, 1));
            task->tid = sqlite3_column_int(find, 3);
            read_tasks_copy_comm(task->comm, find, 4);
            map_put(&cache->tasks, (uint64_t)key, task);
        }
    }
    sqlite3_reset(find);
    return task;
}
