#include "record/read.h"
#include "base/mem.h"
#include "base/str.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* A task while its facts stayed the same. */
struct recorded_task {
    uint64_t id;
    pid_t tid;
    char comm[TASK_COMM_SIZE];
    struct recorded_process *process;
    bool listed; /* in the snapshot being made */
};

enum { REMEMBERED_MAX = 32 << 20 }; /* bytes */

/* ---- what is remembered ---- */

static bool is_id(int64_t number)
{
    return number >= 0 && number <= INT_MAX;
}

static void forget_all(struct read_meta *meta)
{
    struct recorded_process *process;
    for (size_t at = 0; (process = map_next(&meta->processes, &at));) {
        free(process->user);
        free(process->cmdline);
        free(process->cgroup);
    }
    map_free(&meta->texts);
    map_free(&meta->tasks);
    map_free(&meta->processes);
    map_release(&meta->present);
    map_release(&meta->cgroups);
    map_release(&meta->users);
    meta->remembered = 0;
}

/* Counts what is remembered of a row, with its place in a map. */
static void remember(struct read_meta *meta, sqlite3_stmt *row, size_t bytes)
{
    uint64_t *taken = &meta->db->taken[DB_INTERVAL], before = *taken;
    db_take(meta->db, DB_INTERVAL, row, bytes + 4 * sizeof(void *));
    meta->remembered += *taken - before;
}

void read_tasks_begin(struct read_meta *meta)
{
    struct recorded_task *task;
    struct recorded_process *process;
    meta->db->taken[DB_INTERVAL] = 0;
    if (meta->remembered > REMEMBERED_MAX)
        forget_all(meta);
    for (size_t at = 0; (task = map_next(&meta->tasks, &at));)
        task->listed = false;
    for (size_t at = 0; (process = map_next(&meta->processes, &at));)
        process->place = 0;
    map_clear(&meta->present);
    map_clear(&meta->cgroups);
    meta->tells_cgroups = false;
}

static void copy_comm(char comm[TASK_COMM_SIZE], sqlite3_stmt *row, int column)
{
    const char *text = (const char *)sqlite3_column_text(row, column);
    strncpy(comm, text ? text : "", TASK_COMM_SIZE - 1);
}

/* Ids start at 1 with each run (sample/snapshot.h), so the run is added in the high bits, which
 * keeps their order. Ids of the first run stay unchanged: when looking back while counting, rows
 * have the same ids as now. */
static uint64_t id_of(int64_t run, int64_t ident)
{
    enum { RUN_SHIFT = 44, RUNS = 1 << 18 };
    return (((uint64_t)run - 1) % RUNS) << RUN_SHIFT |
           ((uint64_t)ident & ((1ull << RUN_SHIFT) - 1));
}

static struct recorded_process *find_process(struct read_meta *meta, int64_t key, int64_t run)
{
    struct recorded_process *process = map_get(&meta->processes, (uint64_t)key);
    if (process)
        return process;
    sqlite3_stmt *row = db_query(meta->db,
                                 "SELECT ident, pid, ppid, uid, command, user, cmdline,"
                                 " cgroup, comm FROM processes WHERE id = ?1",
                                 key);
    if (sqlite3_step(row) == SQLITE_ROW && is_id(sqlite3_column_int64(row, 1)) &&
        is_id(sqlite3_column_int64(row, 2))) {
        bool known = sqlite3_column_type(row, 3) == SQLITE_INTEGER;
        int64_t uid, command;
        process = mem_alloc(sizeof(*process));
        struct process_info *info = &process->info;
        db_columns(row, 0, "%ju %d %d %jd %jd %ms %ms %ms", &info->id, &info->pid, &info->ppid,
                   &uid, &command, &process->user, &process->cmdline, &process->cgroup);
        info->id = id_of(run, (int64_t)info->id);
        info->uid = known ? (uid_t)uid : (uid_t)-1;
        info->command = command != 0;
        copy_comm(info->comm, row, 8);
        read_meta_clean(process->user, false);
        read_meta_clean(process->cmdline, false);
        read_meta_clean(process->cgroup, false);
        if (known && process->user)
            map_put(&meta->users, (uint64_t)process->info.uid + 1, process->user);
        map_put(&meta->processes, (uint64_t)key, process);
        remember(meta, row, sizeof(*process));
    }
    sqlite3_reset(row);
    return process;
}

static struct recorded_task *find_task(struct read_meta *meta, int64_t key)
{
    struct recorded_task *task = map_get(&meta->tasks, (uint64_t)key);
    if (task)
        return task;
    sqlite3_stmt *find =
        db_query(meta->db, "SELECT run, ident, process, tid, comm FROM tasks WHERE id = ?1", key);
    if (sqlite3_step(find) == SQLITE_ROW && is_id(sqlite3_column_int64(find, 3))) {
        int64_t run = sqlite3_column_int64(find, 0);
        struct recorded_process *process = find_process(meta, sqlite3_column_int64(find, 2), run);
        if (process) {
            task = mem_alloc(sizeof(*task));
            task->process = process;
            task->id = id_of(run, sqlite3_column_int64(find, 1));
            task->tid = sqlite3_column_int(find, 3);
            copy_comm(task->comm, find, 4);
            map_put(&meta->tasks, (uint64_t)key, task);
            remember(meta, find, sizeof(*task));
        }
    }
    sqlite3_reset(find);
    return task;
}

static char *find_text(struct read_meta *meta, int64_t key)
{
    char *text = map_get(&meta->texts, (uint64_t)key);
    if (text)
        return text;
    sqlite3_stmt *find = db_query(meta->db, "SELECT text FROM texts WHERE id = ?1", key);
    if (sqlite3_step(find) == SQLITE_ROW && (text = db_text(find, 0))) {
        map_put(&meta->texts, (uint64_t)key, text);
        remember(meta, find, 0);
    }
    sqlite3_reset(find);
    return text;
}

void read_tasks_release(struct read_meta *meta)
{
    forget_all(meta);
    pack_release(&meta->pack);
}

/* ---- the tasks of an interval ---- */

/* A task of a process in the snapshot. */
static struct task_sample *add_task(struct read_meta *meta, struct snapshot *s, size_t process,
                                    uint64_t id, pid_t tid, const char *comm)
{
    db_take(meta->db, DB_INTERVAL, NULL, schema_task_bytes(s->events));
    struct task_sample *sample = snapshot_add_task(s);
    sample->id = id;
    sample->process = process;
    sample->tid = tid;
    memccpy(sample->comm, comm, 0, sizeof(sample->comm) - 1);
    sample->cpu = -1;
    return sample;
}

/* The index of a process in the snapshot. */
static size_t process_place(struct read_meta *meta, struct snapshot *s,
                            struct recorded_process *process)
{
    if (!process->place) {
        *snapshot_add_process(s) = process->info;
        process->place = s->process_count;
        map_put(&meta->present, (uint64_t)process->info.pid, process);
    }
    return process->place - 1;
}

/* The id of a cgroup; 0: it is not known. */
static uint64_t cgroup_of_path(struct read_meta *meta, const char *path)
{
    uint64_t id = path ? str_hash(path) : 0;
    if (path)
        map_put(&meta->cgroups, id, (void *)path);
    return id;
}

static struct task_sample *list_task(struct read_meta *meta, struct snapshot *s,
                                     struct recorded_task *task)
{
    task->listed = true;
    struct task_sample *sample =
        add_task(meta, s, process_place(meta, s, task->process), task->id, task->tid, task->comm);
    sample->cgroup = cgroup_of_path(meta, task->process->cgroup);
    return sample;
}

/* What a task did; false if it is impossible. */
static bool set_task_facts(struct snapshot *s, struct task_sample *sample, int64_t cpu,
                           int64_t flags, int64_t oncpu)
{
    int64_t state = flags >> ROW_STATE_SHIFT;
    if (cpu < -1 || cpu > SCHEMA_CPUS_MAX || state < EVENT_COUNTED || state > EVENT_INVALID)
        return false;
    sample->cpu = (int)cpu;
    sample->exited = sample->final = flags & ROW_EXITED;
    s->processes[sample->process].exited |= (flags & ROW_PROCESS_EXITED) != 0;
    sample->state = (enum event_state)state;
    sample->oncpu = (uint64_t)oncpu;
    sample->several = true; /* so that its time is not limited to the interval */
    return true;
}

/* NULL if it is missing, or in the snapshot already. */
static struct task_sample *add_known(struct read_meta *meta, struct snapshot *s, int64_t key)
{
    struct recorded_task *task = find_task(meta, key);
    return task && !task->listed ? list_task(meta, s, task) : NULL;
}

/* The process of a task that is its only one; NULL if its fields are invalid. */
static struct process_info *add_process(struct read_meta *meta, struct snapshot *s,
                                        const struct pack *pack, size_t row)
{
    const char *name = find_text(meta, pack_field(pack, PACK_PROCESS_COMM, row));
    int64_t uid = pack_field(pack, PACK_UID, row), ppid = pack_field(pack, PACK_PPID, row);
    bool named = uid > 0 && uid <= UINT_MAX;
    const char *user =
        named ? read_meta_clean(find_text(meta, pack_field(pack, PACK_USER, row)), false) : NULL;
    if (!name || !is_id(ppid))
        return NULL;
    struct process_info *process = snapshot_add_process(s);
    *process = (struct process_info){
        .id = id_of(meta->run, pack_field(pack, PACK_PROCESS_IDENT, row)),
        .pid = (pid_t)pack_field(pack, PACK_TID, row),
        .ppid = (pid_t)ppid,
        .uid = named ? (uid_t)(uid - 1) : (uid_t)-1,
        .command = pack_field(pack, PACK_COMMAND, row) != 0,
    };
    memccpy(process->comm, name, 0, sizeof(process->comm) - 1);
    if (user)
        map_put(&meta->users, (uint64_t)process->uid + 1, (void *)user);
    return process;
}

/* A task without a row in `tasks`; NULL if its fields are invalid. */
static struct task_sample *add_brief(struct read_meta *meta, struct snapshot *s,
                                     const struct pack *pack, size_t row)
{
    const char *comm = find_text(meta, pack_field(pack, PACK_COMM, row));
    int64_t tid = pack_field(pack, PACK_TID, row), key = pack_field(pack, PACK_PROCESS, row);
    struct recorded_process *known = key != PACK_ABSENT ? find_process(meta, key, meta->run) : NULL;
    if (!comm || !is_id(tid) ||
        !(key != PACK_ABSENT ? known != NULL : add_process(meta, s, pack, row) != NULL))
        return NULL;
    size_t place = known ? process_place(meta, s, known) : s->process_count - 1;
    return add_task(meta, s, place, id_of(meta->run, pack_field(pack, PACK_IDENT, row)), (pid_t)tid,
                    comm);
}

/* The id of a cgroup from its key; 0: it is not known, or invalid. */
static uint64_t cgroup_of_key(struct read_meta *meta, int64_t key)
{
    if (key == PACK_ABSENT)
        return 0;
    meta->tells_cgroups = true;
    const char *path = key ? find_text(meta, key) : NULL;
    return cgroup_of_path(meta, path);
}

/* Adds a row with ROW_MOVED to the task that it belongs to; false if that did not come before. */
static bool add_move(struct read_meta *meta, struct snapshot *s, const struct pack *pack,
                     size_t row)
{
    enum { MOVES_MAX = 4096 };
    int64_t key = pack_field(pack, PACK_TASK, row);
    const struct recorded_task *known = key != PACK_ABSENT ? find_task(meta, key) : NULL;
    uint64_t id = known ? known->id : id_of(meta->run, pack_field(pack, PACK_IDENT, row));
    size_t t = s->task_count;
    while (t > 0 && s->tasks[t - 1].id != id)
        t--;
    if (t == 0 || s->tasks[t - 1].move_count == MOVES_MAX ||
        !db_take(meta->db, DB_INTERVAL, NULL, sizeof(struct task_move) + counts_size(s->events)))
        return false;
    struct task_sample *task = &s->tasks[t - 1];
    task->moves = mem_resize(task->moves, task->move_count + 1, sizeof(*task->moves));
    struct task_move *move = &task->moves[task->move_count++];
    *move = (struct task_move){cgroup_of_key(meta, pack_field(pack, PACK_CGROUP, row)),
                               (uint64_t)pack_field(pack, PACK_ONCPU, row), counts_new(s->events)};
    pack_counts(pack, row, s->events, &move->counts);
    return true;
}

bool read_tasks_pack(struct read_meta *meta, struct snapshot *s, sqlite3_stmt *row)
{
    struct pack *pack = &meta->pack;
    bool good = pack_read(pack, row, meta->events);
    for (size_t r = 0; r < pack->rows && good; r++) {
        int64_t task = pack_field(pack, PACK_TASK, r), flags = pack_field(pack, PACK_FLAGS, r);
        bool slept = flags & ROW_SLEPT;
        if (slept && !meta->idle)
            continue;
        if (flags & ROW_MOVED) {
            good = add_move(meta, s, pack, r);
            continue;
        }
        struct task_sample *sample =
            task != PACK_ABSENT ? add_known(meta, s, task) : add_brief(meta, s, pack, r);
        good = sample && (slept || set_task_facts(s, sample, pack_field(pack, PACK_CPU, r), flags,
                                                  pack_field(pack, PACK_ONCPU, r)));
        if (good)
            sample->cgroup = cgroup_of_key(meta, pack_field(pack, PACK_CGROUP, r));
        if (good && !slept)
            pack_counts(pack, r, meta->events, &sample->counts);
    }
    return good;
}

bool read_tasks_idle(struct read_meta *meta, struct snapshot *s, int64_t interval)
{
    sqlite3_stmt *find = db_query(meta->db,
                                  "SELECT id FROM tasks WHERE run = ?2 AND first <= ?1 AND"
                                  " (last IS NULL OR last >= ?1)",
                                  interval);
    bool good = true;
    sqlite3_bind_int64(find, 2, meta->run);
    while (db_next(find, &good)) {
        struct recorded_task *task = find_task(meta, sqlite3_column_int64(find, 0));
        good = task != NULL && !db_excess(meta->db);
        if (task && !task->listed)
            list_task(meta, s, task);
    }
    return good;
}

/* Reads {"length":number, ...}. False if it is nothing like that. */
static bool read_spans(struct read_meta *meta, struct wait_facts **facts, enum span_kind kind,
                       const char *text)
{
    static const unsigned long long TIMES_MAX = 1ull << 31;
    /* Sums of tasks take time for each million of times, so these are charged as if they took
     * memory. */
    enum { SPAN_BYTES = 8, TIMES_A_BYTE = 1000 };
    bool good = *text == '{';
    while (good && *text++ != '}') {
        char *end;
        unsigned long long length = strtoull(text + (*text == '"'), &end, 10), times = 0;
        good = str_starts(end, "\":");
        if (good)
            times = strtoull(end + 2, &end, 10);
        good = good && times > 0 && times <= TIMES_MAX && (*end == ',' || *end == '}') &&
               db_take(meta->db, DB_INTERVAL, NULL, SPAN_BYTES + times / TIMES_A_BYTE);
        if (good)
            wait_facts_put(facts, kind, length, times, true);
        text = end;
    }
    return good;
}

static bool read_facts_of(struct read_meta *meta, sqlite3_stmt *row, struct task_sample *task)
{
    enum { KIND = 1, TOTAL, LONGEST, SPANS };
    AUTO_FREE char *name = db_text(row, KIND), *spans = db_text(row, SPANS);
    enum span_kind kind = 0;
    while (kind < SPAN_KINDS && !str_equal(name, span_kinds[kind].name))
        kind++;
    bool good = kind < SPAN_KINDS && spans && read_spans(meta, &task->wait_facts, kind, spans) &&
                db_take(meta->db, DB_INTERVAL, row, sizeof(struct wait_facts));
    if (good) {
        task->wait_facts->sum[kind] = (uint64_t)sqlite3_column_int64(row, TOTAL);
        task->wait_facts->most[kind] = (uint64_t)sqlite3_column_int64(row, LONGEST);
    }
    return good;
}

static bool read_taker_of(struct read_meta *meta, sqlite3_stmt *row, struct task_sample *task)
{
    enum { PID = 1, COMM, TAKEN, SURE };
    struct wait_takers *takers = wait_facts_takers(&task->wait_facts);
    struct wait_taker taker = {.pid = (pid_t)sqlite3_column_int64(row, PID),
                               .taken = (uint64_t)sqlite3_column_int64(row, TAKEN),
                               .sure = (uint64_t)sqlite3_column_int64(row, SURE)};
    AUTO_FREE char *comm = db_text(row, COMM);
    enum no_taker none = 0;
    while (none < NO_TAKERS && !str_equal(comm, no_taker_names[none]))
        none++;
    bool good = comm && (taker.pid > 0 || none < NO_TAKERS) && taker.sure <= taker.taken &&
                db_take(meta->db, DB_INTERVAL, row, sizeof(*takers) + sizeof(taker));
    if (good && taker.pid > 0) {
        memccpy(taker.comm, comm, 0, sizeof(taker.comm) - 1);
        taker.id = str_hash(taker.comm) ^ (uint64_t)taker.pid;
        wait_takers_add(&task->wait_facts->takers, &taker);
    } else if (good) {
        takers->none[none] += taker.taken;
    }
    return good;
}

/* Reads rows that begin with the ident of a task. */
static bool read_of_tasks(struct read_meta *meta, struct snapshot *s, sqlite3_stmt *find,
                          bool (*read)(struct read_meta *meta, sqlite3_stmt *row,
                                       struct task_sample *task))
{
    struct map tasks = {0};
    bool good = true;
    for (size_t t = 0; t < s->task_count; t++)
        map_put(&tasks, s->tasks[t].id, &s->tasks[t]);
    while (db_next(find, &good)) {
        int64_t ident = sqlite3_column_int64(find, 0);
        struct task_sample *task = map_get(&tasks, id_of(meta->run, ident));
        good = (!task || read(meta, find, task)) && !db_excess(meta->db);
    }
    map_release(&tasks);
    return good;
}

bool read_tasks_waits(struct read_meta *meta, struct snapshot *s, int64_t interval)
{
    sqlite3_stmt *facts = db_query(meta->db,
                                   "SELECT ident, kind, total, longest, spans FROM wait_facts"
                                   " WHERE interval = ?1 ORDER BY ident, kind",
                                   interval);
    sqlite3_stmt *takers = db_query(meta->db,
                                    "SELECT ident, pid, comm, taken, sure FROM wait_takers"
                                    " WHERE interval = ?1 ORDER BY ident, taken DESC, pid",
                                    interval);
    return (!facts || read_of_tasks(meta, s, facts, read_facts_of)) && /* older recordings have */
           (!takers || read_of_tasks(meta, s, takers, read_taker_of)); /* no such tables */
}

bool read_tasks_wait(struct read_meta *meta, int64_t interval, pid_t tid, struct task_wait *wait)
{
    sqlite3_stmt *find = db_query(meta->db,
                                  "SELECT pid, kind, text, address, path, reason, deadlock"
                                  " FROM waits_for WHERE interval = ?1 AND tid = ?2",
                                  interval);
    const char **const texts[] = {&wait->kind, &wait->text,   &wait->address,
                                  &wait->path, &wait->reason, &wait->deadlock};
    *wait = (struct task_wait){.tid = tid, .next = ""};
    if (!find)
        return false; /* older recordings have no such table */
    sqlite3_bind_int64(find, 2, tid);
    if (sqlite3_step(find) == SQLITE_ROW) {
        wait->pid = sqlite3_column_int(find, 0);
        for (int i = 0; i < (int)(sizeof(texts) / sizeof(*texts)); i++)
            *texts[i] = find_text(meta, sqlite3_column_int64(find, 1 + i));
    }
    sqlite3_reset(find);
    return (wait->kind && wait->text) || wait->reason;
}
