#include "record/read_tasks.h"

#include <limits.h>
#include <string.h>

void read_tasks_counts(const struct event_set *set, sqlite3_stmt *row, int column, uint64_t oncpu,
                       struct counts *counts)
{
    for (size_t e = 0; e < set->count; e++)
        counts->value[e] = (uint64_t)sqlite3_column_int64(row, column++);
    for (size_t g = 0; g < set->groups; g++, column += 2) {
        struct group_time *time = &counts->times[g];
        bool stored = sqlite3_column_type(row, column) != SQLITE_NULL;
        bool same = sqlite3_column_type(row, column + 1) == SQLITE_NULL;
        time->enabled = stored ? (uint64_t)sqlite3_column_int64(row, column) : oncpu;
        time->running = same ? time->enabled : (uint64_t)sqlite3_column_int64(row, column + 1);
    }
}

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

struct task_sample *read_tasks_list(struct read_meta *meta, struct snapshot *s,
                                    struct recorded_task *task)
{
    task->listed = true;
    return add_task(meta, s, process_place(meta, s, task->process), task->id, task->tid,
                    task->comm);
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
    struct recorded_task *task = read_meta_task(meta, key);
    return task && !task->listed ? read_tasks_list(meta, s, task) : NULL;
}

bool read_tasks_row(struct read_meta *meta, struct snapshot *s, sqlite3_stmt *row)
{
    struct task_sample *sample = add_known(meta, s, sqlite3_column_int64(row, 1));
    if (!sample || !set_task_facts(s, sample, sqlite3_column_int64(row, 2),
                                   sqlite3_column_int64(row, 3), sqlite3_column_int64(row, 4)))
        return false;
    read_tasks_counts(meta->events, row, 5, sample->oncpu, &sample->counts);
    return true;
}

static bool is_task_id(int64_t number)
{
    return number >= 0 && number <= INT_MAX;
}

/* A task without a row in `tasks`; NULL if the row is invalid. */
static struct task_sample *add_brief(struct read_meta *meta, struct snapshot *s,
                                     enum pack_kind kind, const int64_t *field)
{
    const char *comm = read_meta_word(meta, field[PACK_COMM]);
    int64_t run = meta->run;
    if (!comm || !is_task_id(field[PACK_TID]))
        return NULL;
    size_t place;
    if (kind == PACK_BRIEF) {
        struct recorded_process *process = read_meta_process(meta, field[PACK_PROCESS], run);
        if (!process)
            return NULL;
        place = process_place(meta, s, process);
    } else {
        const char *name = read_meta_word(meta, field[PACK_PROCESS_COMM]);
        bool named = field[PACK_UID] > 0 && field[PACK_UID] <= UINT_MAX;
        const char *user = named ? read_meta_user(meta, field[PACK_USER]) : NULL;
        if (!name || !is_task_id(field[PACK_PPID]))
            return NULL;
        struct process_info *process = snapshot_add_process(s);
        *process = (struct process_info){
            .id = read_meta_id_of(run, field[PACK_PROCESS_IDENT]),
            .pid = (pid_t)field[PACK_TID],
            .ppid = (pid_t)field[PACK_PPID],
            .uid = named ? (uid_t)(field[PACK_UID] - 1) : (uid_t)-1,
            .command = field[PACK_COMMAND] != 0,
        };
        memccpy(process->comm, name, 0, sizeof(process->comm) - 1);
        if (user)
            map_put(&meta->users, (uint64_t)process->uid + 1, (void *)user);
        place = s->process_count - 1;
    }
    return add_task(meta, s, place, read_meta_id_of(run, field[PACK_IDENT]), (pid_t)field[PACK_TID],
                    comm);
}

bool read_tasks_pack(struct read_meta *meta, struct snapshot *s, sqlite3_stmt *row)
{
    enum { KIND = 1, TIMED, NEAR, ROWS };
    int64_t kind = sqlite3_column_int64(row, KIND);
    bool columns = kind >= COLUMNS_FROM;
    kind -= columns ? COLUMNS_FROM : 0;
    if (kind < 0 || kind >= PACK_KINDS || sqlite3_column_type(row, ROWS) != SQLITE_BLOB)
        return false;
    struct pack_style style = {(enum pack_kind)kind, columns, sqlite3_column_int64(row, TIMED) != 0,
                               sqlite3_column_int64(row, NEAR)};
    struct pack *pack = &meta->pack;
    const void *bytes = sqlite3_column_blob(row, ROWS);
    if (!pack_read(pack, &style, bytes, (size_t)sqlite3_column_bytes(row, ROWS), meta->events))
        return false;
    for (size_t r = 0; r < pack->rows; r++) {
        const int64_t *field = pack_row_fields(pack, r);
        bool slept = field[PACK_FLAGS] & ROW_SLEPT;
        if (slept && !meta->idle)
            continue;
        struct task_sample *sample = kind == PACK_KNOWN ? add_known(meta, s, field[PACK_TASK])
                                                        : add_brief(meta, s, style.kind, field);
        if (!sample || (!slept && !set_task_facts(s, sample, field[PACK_CPU], field[PACK_FLAGS],
                                                  field[PACK_ONCPU])))
            return false;
        if (!slept)
            pack_row_counts(pack, r, meta->events, &sample->counts);
    }
    return true;
}
