#include "record/write.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

struct process_use {
    int64_t key;        /* 0: not written, or not yet */
    size_t tasks;       /* in the snapshot */
    bool ran;           /* any of them */
    const char *cgroup; /* of its first thread, or another one; NULL: not known */
};

void write_tasks_init(struct write_tasks *tasks, struct write_meta *meta)
{
    tasks->meta = meta;
    tasks->pack = db_number(meta->db, "SELECT max(id) FROM task_packs", 0);
}

void write_tasks_release(struct write_tasks *tasks)
{
    free(tasks->processes);
    for (size_t k = 0; k < TASK_KINDS; k++)
        pack_release(&tasks->packs[k]);
}

int write_tasks_prepare(struct write_tasks *tasks, const struct event_set *set, struct err *err)
{
    AUTO_FREE char *columns = pack_columns(set->count, set->groups, false);
    sqlite3_finalize(tasks->add_pack);
    tasks->add_pack = db_prepare_insert(tasks->meta->db, "task_packs", "id, ", columns, err);
    return tasks->add_pack ? 0 : -1;
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

static bool flush(struct write_tasks *tasks, enum task_kind kind)
{
    struct pack *pack = &tasks->packs[kind];
    bool good = !pack->rows || pack_write(pack, tasks->add_pack, ++tasks->pack);
    pack->rows = 0;
    return good;
}

/* The kind of a task, and the fields that this kind has. TASK_KINDS if its facts could not be
 * written. brief: it gets no row in `tasks`. */
static enum task_kind describe(struct write_tasks *tasks, const struct task_sample *task,
                               const struct process_info *process, struct process_use *use,
                               bool brief, int64_t number, int64_t field[PACK_FIELDS])
{
    struct write_meta *meta = tasks->meta;
    bool alone = brief && task->exited && !use->key && use->tasks == 1 && process->exited &&
                 task->tid == process->pid && !map_get(&meta->processes, process->id);
    bool good = true;
    if (!alone) {
        if (!use->key)
            use->key = write_meta_process(meta, process, use->ran, use->cgroup, number);
        good = use->key != 0;
    }
    if (good && !brief) {
        field[PACK_TASK] = write_meta_task(meta, task, use->key, number);
        return field[PACK_TASK] ? TASK_KNOWN : TASK_KINDS;
    }
    if (good) {
        field[PACK_IDENT] = (int64_t)task->id;
        field[PACK_TID] = task->tid;
        field[PACK_COMM] = write_meta_text(meta, task->comm, number);
        field[PACK_PROCESS] = alone ? PACK_ABSENT : use->key;
        good = field[PACK_COMM] != 0;
    }
    if (good && alone) {
        bool named = process->uid != (uid_t)-1;
        const char *user =
            named && meta->lookup.user ? meta->lookup.user(meta->lookup.ctx, process->uid) : NULL;
        field[PACK_PROCESS_IDENT] = (int64_t)process->id;
        field[PACK_PPID] = process->ppid;
        field[PACK_UID] = named ? (int64_t)process->uid + 1 : 0;
        field[PACK_USER] = user ? write_meta_text(meta, user, number) : 0;
        field[PACK_PROCESS_COMM] = write_meta_text(meta, process->comm, number);
        field[PACK_COMMAND] = process->command;
        good = field[PACK_PROCESS_COMM] != 0 && (!user || field[PACK_USER] != 0);
    }
    return !good ? TASK_KINDS : alone ? TASK_ALONE : TASK_BRIEF;
}

/* Adds a row for what a task did in a cgroup; names: NULL if these are not known. */
static bool add_row(struct write_tasks *tasks, enum task_kind kind, int64_t field[PACK_FIELDS],
                    uint64_t cgroup, const struct counts *counts, const struct cgroup_names *names,
                    int64_t number)
{
    const char *path = cgroup_names_find(names, cgroup);
    if (names)
        field[PACK_CGROUP] = path ? write_meta_text(tasks->meta, path, number) : 0;
    pack_add(&tasks->packs[kind], field, counts);
    return tasks->packs[kind].rows < PACK_ROWS || flush(tasks, kind);
}

static bool add(struct write_tasks *tasks, const struct task_sample *task,
                const struct process_info *process, struct process_use *use, int64_t number,
                const struct snapshot *interval)
{
    const struct event_set *set = interval->events;
    const struct cgroup_names *names = interval->cgroups;
    int64_t field[PACK_FIELDS];
    for (size_t f = 0; f < PACK_FIELDS; f++)
        field[f] = PACK_ABSENT;
    bool active = did_something(task, set);
    bool brief = write_meta_is_brief(tasks->meta, task, active, number);
    enum task_kind kind = describe(tasks, task, process, use, brief, number, field);
    if (kind == TASK_KINDS)
        return false;
    if (!active && !brief)
        return true;
    field[PACK_FLAGS] = (task->exited ? ROW_EXITED : 0) |
                        (process->exited ? ROW_PROCESS_EXITED : 0) | (active ? 0 : ROW_SLEPT) |
                        ((int)task->state << ROW_STATE_SHIFT);
    field[PACK_CPU] = task->cpu;
    field[PACK_ONCPU] = (int64_t)task->oncpu;
    bool good = add_row(tasks, kind, field, task->cgroup, &task->counts, names, number);
    for (size_t m = 0; m < task->move_count && good && active; m++) {
        const struct task_move *move = &task->moves[m];
        field[PACK_FLAGS] = ROW_MOVED;
        field[PACK_ONCPU] = (int64_t)move->oncpu;
        good = add_row(tasks, kind, field, move->cgroup, &move->counts, names, number);
    }
    return good;
}

static bool write_taker(struct write_tasks *tasks, const struct task_sample *task, int64_t number,
                        const struct wait_taker *taker)
{
    return taker->taken == 0 ||
           db_put(tasks->meta->db,
                  "INSERT INTO wait_takers (interval, ident, pid, taken, sure, comm)",
                  "%jd %ju %d %ju %ju %s", number, task->id, (int)taker->pid, taker->taken,
                  taker->sure, taker->comm);
}

static bool write_takers(struct write_tasks *tasks, const struct task_sample *task, int64_t number)
{
    const struct wait_takers *takers = task->wait_facts ? task->wait_facts->takers : NULL;
    bool good = true;
    for (size_t i = 0; takers && i < takers->count && good; i++)
        good = write_taker(tasks, task, number, &takers->list[i]);
    for (enum no_taker i = 0; takers && i < NO_TAKERS && good; i++) {
        struct wait_taker none = {.taken = takers->none[i]};
        strcpy(none.comm, no_taker_names[i]);
        good = write_taker(tasks, task, number, &none);
    }
    return good;
}

static bool write_facts(struct write_tasks *tasks, const struct task_sample *task, int64_t number)
{
    const struct wait_facts *facts = task->wait_facts;
    uint64_t counts[SPAN_BUCKETS];
    bool good = true;
    for (enum span_kind kind = 0; facts && kind < SPAN_KINDS && good; kind++) {
        if (wait_facts_buckets(facts, kind, counts) == 0)
            continue;
        AUTO_STR struct str spans = str_new();
        for (size_t b = 0; b < SPAN_BUCKETS; b++)
            if (counts[b] > 0)
                str_printf(&spans, "%c\"%llu\":%llu", spans.length ? ',' : '{',
                           (unsigned long long)span_least(b), (unsigned long long)counts[b]);
        str_add(&spans, "}");
        good = db_put(tasks->meta->db,
                      "INSERT INTO wait_facts (interval, ident, total, longest, kind, spans)",
                      "%jd %ju %ju %ju %s %s", number, task->id, facts->sum[kind],
                      facts->most[kind], span_names[kind], spans.text);
    }
    return good;
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
        const struct task_sample *task = &interval->tasks[t];
        struct process_use *use = &tasks->processes[task->process];
        use->tasks++;
        use->ran |= task->oncpu > 0;
        if (!use->cgroup || task->tid == interval->processes[task->process].pid)
            use->cgroup = cgroup_names_find(interval->cgroups, task->cgroup);
    }
    tasks->meta->tells_cgroups = interval->cgroups != NULL;
    bool timed = needs_times(interval);
    for (enum task_kind kind = 0; kind < TASK_KINDS; kind++) {
        pack_begin(&tasks->packs[kind], set);
        tasks->packs[kind].timed = timed;
    }
    for (size_t t = 0; t < interval->task_count && good; t++) {
        const struct task_sample *task = &interval->tasks[t];
        const struct process_info *process = &interval->processes[task->process];
        if (snapshot_may_have(watch, interval, task))
            good = add(tasks, task, process, &tasks->processes[task->process], number, interval) &&
                   write_facts(tasks, task, number) && write_takers(tasks, task, number);
    }
    for (enum task_kind kind = 0; kind < TASK_KINDS && good; kind++)
        good = flush(tasks, kind);
    return good;
}
