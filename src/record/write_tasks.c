#include "record/write_tasks.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

struct process_use {
    int64_t key;  /* 0: not written, or not yet */
    size_t tasks; /* in the snapshot */
    bool ran;     /* any of them */
};

int write_tasks_init(struct write_tasks *tasks, struct write_meta *meta, struct err *err)
{
    tasks->meta = meta;
    tasks->pack = db_number(meta->db,
                            "SELECT max(id) FROM (SELECT max(id) AS id FROM task_packs UNION ALL"
                            " SELECT max(id) FROM task_rows)",
                            0);
    str_init(&tasks->bytes);
    tasks->add_pack =
        db_prepare(meta->db, "INSERT INTO task_packs VALUES (?1, ?2, ?3, ?4, ?5)", err);
    return tasks->add_pack ? 0 : -1;
}

void write_tasks_release(struct write_tasks *tasks)
{
    sqlite3_finalize(tasks->add_pack);
    free(tasks->processes);
    str_release(&tasks->bytes);
}

static bool did_something(const struct task_sample *task, const struct event_set *set)
{
    bool did = task->oncpu > 0 || task->exited || task->state != EVENT_COUNTED;
    for (size_t e = 0; e < set->count && !did; e++)
        did = task->counts.value[e] > 0;
    return did;
}

/* Whether the times of groups are needed: not if they counted whenever the tasks were on a CPU. For
 * all tasks of an interval together, since the coverage of a sum of tasks is that of their sums. Of
 * shared events the times show which rows have them. */
static bool needs_times(const struct snapshot *interval)
{
    const struct event_set *set = interval->events;
    for (size_t e = 0; e < set->count; e++)
        if (set->events[e].shared && set->events[e].group >= 0)
            return true;
    for (size_t t = 0; t < interval->task_count; t++) {
        const struct group_time *times = interval->tasks[t].counts.times;
        for (size_t g = 0; g < set->groups; g++)
            if (times[g].running != times[g].enabled)
                return true;
    }
    return false;
}

static bool flush(struct write_tasks *tasks, enum pack_kind kind, const struct event_set *set)
{
    enum { PLACE_OF_ROWS = 5 };
    struct pack_style style = {.kind = kind, .timed = tasks->timed};
    if (!tasks->counts[kind])
        return true;
    str_clear(&tasks->bytes);
    pack_write(&tasks->bytes, &style, tasks->rows[kind], tasks->counts[kind], set);
    tasks->counts[kind] = 0;
    sqlite3_bind_blob(tasks->add_pack, PLACE_OF_ROWS, tasks->bytes.text, (int)tasks->bytes.length,
                      SQLITE_STATIC);
    return db_run(tasks->add_pack,
                  (int64_t[]){++tasks->pack, COLUMNS_FROM + kind, style.timed, style.near}, 4);
}

/* The kind of a task, and the fields that this kind has. PACK_KINDS if its facts could not be
 * written. brief: it gets no row in `tasks`. */
static enum pack_kind describe(struct write_tasks *tasks, const struct task_sample *task,
                               const struct process_info *process, struct process_use *use,
                               bool brief, int64_t number, struct pack_row *row)
{
    struct write_meta *meta = tasks->meta;
    bool alone = brief && task->exited && !use->key && use->tasks == 1 && process->exited &&
                 task->tid == process->pid && !map_get(&meta->processes, process->id);
    bool good = true;
    if (!alone) {
        if (!use->key)
            use->key = write_meta_process(meta, process, use->ran, number);
        good = use->key != 0;
    }
    if (good && !brief) {
        row->field[PACK_TASK] = write_meta_task(meta, task, use->key, number);
        return row->field[PACK_TASK] ? PACK_KNOWN : PACK_KINDS;
    }
    if (good) {
        row->field[PACK_IDENT] = (int64_t)task->id;
        row->field[PACK_TID] = task->tid;
        row->field[PACK_COMM] = write_meta_text(meta, task->comm, number);
        row->field[PACK_PROCESS] = use->key;
        good = row->field[PACK_COMM] != 0;
    }
    if (good && alone) {
        bool named = process->uid != (uid_t)-1;
        const char *user =
            named && meta->lookup.user ? meta->lookup.user(meta->lookup.ctx, process->uid) : NULL;
        row->field[PACK_PROCESS_IDENT] = (int64_t)process->id;
        row->field[PACK_PPID] = process->ppid;
        row->field[PACK_UID] = named ? (int64_t)process->uid + 1 : 0;
        row->field[PACK_USER] = user ? write_meta_text(meta, user, number) : 0;
        row->field[PACK_PROCESS_COMM] = write_meta_text(meta, process->comm, number);
        row->field[PACK_COMMAND] = process->command;
        good = row->field[PACK_PROCESS_COMM] != 0 && (!user || row->field[PACK_USER] != 0);
    }
    return !good ? PACK_KINDS : alone ? PACK_ALONE : PACK_BRIEF;
}

static bool add(struct write_tasks *tasks, const struct task_sample *task,
                const struct process_info *process, struct process_use *use, int64_t number,
                const struct event_set *set)
{
    struct pack_row row = {.counts = task->counts};
    bool active = did_something(task, set);
    bool brief = write_meta_is_brief(tasks->meta, task, active, number);
    enum pack_kind kind = describe(tasks, task, process, use, brief, number, &row);
    if (kind == PACK_KINDS)
        return false;
    if (!active && !brief)
        return true;
    row.field[PACK_FLAGS] = (task->exited ? ROW_EXITED : 0) |
                            (process->exited ? ROW_PROCESS_EXITED : 0) | (active ? 0 : ROW_SLEPT) |
                            ((int)task->state << ROW_STATE_SHIFT);
    row.field[PACK_CPU] = task->cpu;
    row.field[PACK_ONCPU] = (int64_t)task->oncpu;
    tasks->rows[kind][tasks->counts[kind]++] = row;
    return tasks->counts[kind] < PACK_ROWS || flush(tasks, kind, set);
}

bool write_tasks_take(struct write_tasks *tasks, const struct snapshot *interval,
                      const struct watch *watch, int64_t number)
{
    const struct event_set *set = interval->events;
    bool good = true;
    mem_grow(&tasks->processes, &tasks->process_room, interval->process_count,
             sizeof(*tasks->processes));
    if (interval->process_count)
        memset(tasks->processes, 0, interval->process_count * sizeof(*tasks->processes));
    for (size_t t = 0; t < interval->task_count; t++) {
        struct process_use *use = &tasks->processes[interval->tasks[t].process];
        use->tasks++;
        use->ran |= interval->tasks[t].oncpu > 0;
    }
    memset(tasks->counts, 0, sizeof(tasks->counts));
    tasks->timed = needs_times(interval);
    for (size_t t = 0; t < interval->task_count && good; t++) {
        const struct task_sample *task = &interval->tasks[t];
        const struct process_info *process = &interval->processes[task->process];
        if (snapshot_may_have(watch, interval, task))
            good = add(tasks, task, process, &tasks->processes[task->process], number, set);
    }
    for (enum pack_kind kind = 0; kind < PACK_KINDS && good; kind++)
        good = flush(tasks, kind, set);
    return good;
}
