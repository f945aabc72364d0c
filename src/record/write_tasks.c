#include "record/write.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A process or task that lives. */
struct known {
    uint64_t id;
    int64_t key;  /* 0: not written */
    int64_t last; /* interval that had it */
};

struct known_process {
    struct known known;
    struct process_info info;
    uint64_t asked;  /* when its cgroup was read, monotonic */
    uint64_t cgroup; /* a hash of it; 0: not known */
};

enum { PATH_SIZE = 4096 };
enum { NAMES_KEPT = 64 };   /* intervals after which a container's name is written again */
enum { TEXTS_BACK = 4096 }; /* packs refer to texts that are at most so many before the newest */
static const uint64_t CGROUP_PERIOD = 1000000000; /* ns between two reads of a process's cgroup */

struct known_task {
    struct known known;
    int64_t since; /* interval that had it first */
    int64_t process;
    pid_t tid;
    char comm[TASK_COMM_SIZE];
};

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
    tasks->last_process = db_number(meta->db, "SELECT max(id) FROM processes", 0);
    tasks->last_task = db_number(meta->db, "SELECT max(id) FROM tasks", 0);
    tasks->last_text = db_number(meta->db, "SELECT max(id) FROM texts", 0);
}

void write_tasks_release(struct write_tasks *tasks)
{
    free(tasks->uses);
    map_free(&tasks->processes);
    map_free(&tasks->tasks);
    map_free(&tasks->containers);
    map_free(&tasks->texts);
    for (size_t k = 0; k < TASK_KINDS; k++)
        pack_release(&tasks->packs[k]);
}

/* ---- what is known of processes and tasks ---- */

/* The state of a process or task, of that size, which is made if there is none. */
static void *know(struct map *map, uint64_t id, size_t size)
{
    struct known *known = map_get(map, id);
    if (known)
        return known;
    known = mem_alloc(size);
    known->id = id;
    map_put(map, id, known);
    return known;
}

static bool end_known(struct write_tasks *tasks, const struct map *map, int64_t key, int64_t last)
{
    const char *sql = map == &tasks->tasks ? "UPDATE tasks SET last = ?2 WHERE id = ?1"
                                           : "UPDATE processes SET last = ?2 WHERE id = ?1";
    return db_put(tasks->meta->db, sql, "%jd %jd", key, last);
}

/* Reads a process's cgroup, which changes while it runs, unless the interval tells it; false if it
 * is not known. */
static bool ask_cgroup(const struct write_tasks *tasks, struct known_process *known,
                       const struct process_info *process, const char *told, char path[PATH_SIZE])
{
    const struct writer_lookup *lookup = &tasks->meta->lookup;
    known->asked = clock_monotonic();
    if (tasks->tells_cgroups)
        snprintf(path, PATH_SIZE, "%s", told ? told : "");
    if (tasks->tells_cgroups ? !told
                             : process->exited || !lookup->cgroup ||
                                   !lookup->cgroup(lookup->ctx, process->pid, path, PATH_SIZE))
        return false;
    known->cgroup = str_hash(path);
    return true;
}

static bool has_moved(const struct write_tasks *tasks, struct known_process *known,
                      const struct process_info *process, const char *told)
{
    char path[PATH_SIZE];
    uint64_t before = known->cgroup;
    return (tasks->tells_cgroups || clock_monotonic() - known->asked >= CGROUP_PERIOD) &&
           ask_cgroup(tasks, known, process, told, path) && known->cgroup != before;
}

/* Writes the name of the container that has a cgroup, if it is one's. False if writing failed. */
static bool write_container(struct write_tasks *tasks, const char *path, int64_t interval)
{
    const struct writer_lookup *lookup = &tasks->meta->lookup;
    const char *name = lookup->container ? lookup->container(lookup->ctx, path) : NULL;
    struct known *known = name ? know(&tasks->containers, str_hash(path), sizeof(*known)) : NULL;
    if (!known || (known->last && interval - known->last < NAMES_KEPT))
        return true;
    known->last = interval;
    return db_put(tasks->meta->db, "REPLACE INTO containers", "%s %jd %s", path, interval, name);
}

/* The key of the process's row in `processes`, written if necessary; 0 if writing failed. Frees the
 * state of what has exited. ran: in the interval, so that its cgroup may be asked, where the
 * interval does not tell it. */
static int64_t write_process(struct write_tasks *tasks, const struct process_info *process,
                             bool ran, const char *cgroup, int64_t interval)
{
    const struct writer_lookup *lookup = &tasks->meta->lookup;
    struct known_process *known = know(&tasks->processes, process->id, sizeof(*known));
    const struct process_info *old = &known->info;
    bool same = known->known.key && old->pid == process->pid && old->ppid == process->ppid &&
                old->uid == process->uid && old->command == process->command &&
                strcmp(old->comm, process->comm) == 0 &&
                !(ran && has_moved(tasks, known, process, cgroup));
    bool good = true;
    if (known->known.key && (!same || process->exited))
        good = end_known(tasks, &tasks->processes, known->known.key, interval - !same);
    if (!same) {
        char path[PATH_SIZE];
        bool named = process->uid != (uid_t)-1;
        AUTO_FREE char *line =
            process->exited || !lookup->cmdline ? NULL : lookup->cmdline(lookup->ctx, process->pid);
        if (line && strlen(line) > SCHEMA_TEXT_MAX)
            line[SCHEMA_TEXT_MAX] = '\0';
        bool has_path = ask_cgroup(tasks, known, process, cgroup, path);
        good &= !has_path || write_container(tasks, path, interval);
        bool done =
            db_put(tasks->meta->db,
                   "INSERT INTO processes (id, ident, pid, ppid, uid, command, last, user, comm,"
                   " cmdline, cgroup)",
                   "%jd %ju %d %d %jd %d %jd %s %s %s %s", ++tasks->last_process, process->id,
                   (int)process->pid, (int)process->ppid, named ? (int64_t)process->uid : DB_NULL,
                   process->command, process->exited ? interval : DB_NULL,
                   named && lookup->user ? lookup->user(lookup->ctx, process->uid) : NULL,
                   process->comm, line, has_path ? path : NULL);
        known->known.key = done ? tasks->last_process : 0;
        known->info = *process;
    }
    known->known.last = interval;
    int64_t key = good ? known->known.key : 0;
    if (process->exited)
        free(map_remove(&tasks->processes, process->id));
    return key;
}

/* Whether a task gets no row in `tasks` in this interval, so that its names are beside what it did:
 * until its fourth interval, as most that live no longer, and when it ends without one; not if it
 * was sleeping when it was first seen. Ask once per interval. active: it did something. */
static bool is_brief(struct write_tasks *tasks, const struct task_sample *task, bool active,
                     int64_t interval)
{
    struct known_task *known = map_get(&tasks->tasks, task->id);
    if (task->exited && (!known || !known->known.key)) {
        free(map_remove(&tasks->tasks, task->id));
        return true;
    }
    if (known ? known->known.key || interval - known->since >= BRIEF_INTERVALS : !active)
        return false;
    if (!known) {
        known = know(&tasks->tasks, task->id, sizeof(*known));
        known->since = interval;
    }
    known->known.last = interval;
    return true;
}

/* The key of the task's row in `tasks`, likewise. */
static int64_t write_task(struct write_tasks *tasks, const struct task_sample *task,
                          int64_t process, int64_t interval)
{
    struct known_task *known = know(&tasks->tasks, task->id, sizeof(*known));
    bool written = known->known.key != 0;
    bool same = written && known->process == process && known->tid == task->tid &&
                strcmp(known->comm, task->comm) == 0;
    bool good = true;
    if (written && (!same || task->exited))
        good = end_known(tasks, &tasks->tasks, known->known.key, interval - !same);
    if (!same) {
        bool done = db_put(tasks->meta->db, "INSERT INTO tasks", "%jd %jd %ju %jd %d %s %jd %jd",
                           ++tasks->last_task, tasks->meta->run, task->id, process, (int)task->tid,
                           task->comm, interval, task->exited ? interval : DB_NULL);
        known->known.key = done ? tasks->last_task : 0;
        known->process = process;
        known->tid = task->tid;
        memcpy(known->comm, task->comm, sizeof(known->comm));
    }
    known->known.last = interval;
    int64_t key = good ? known->known.key : 0;
    if (task->exited)
        free(map_remove(&tasks->tasks, task->id));
    return key;
}

struct known_text {
    int64_t key;
    char text[];
};

/* The key of a row in `texts`; 0 if writing failed. */
static int64_t write_text(struct write_tasks *tasks, const char *text, int64_t interval)
{
    uint64_t hash = str_hash(text);
    struct known_text *known = map_get(&tasks->texts, hash);
    if (known && known->key > tasks->last_text - TEXTS_BACK && strcmp(known->text, text) == 0)
        return known->key;
    if (tasks->texts.count >= TEXTS_BACK)
        map_free(&tasks->texts);
    known = mem_alloc(sizeof(*known) + strlen(text) + 1);
    strcpy(known->text, text);
    known->key = ++tasks->last_text;
    free(map_put(&tasks->texts, hash, known));
    return db_put(tasks->meta->db, "INSERT INTO texts", "%jd %jd %s", known->key, interval,
                  known->text)
               ? known->key
               : 0;
}

bool write_tasks_wait(struct write_tasks *tasks, const struct task_wait *wait, int64_t number)
{
    const char *const texts[] = {wait->kind, wait->text,   wait->address,
                                 wait->path, wait->reason, wait->deadlock};
    int64_t ids[sizeof(texts) / sizeof(*texts)];
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
        ids[i] = texts[i] ? write_text(tasks, texts[i], number) : DB_NULL;
    return db_put(tasks->meta->db, "REPLACE INTO waits_for", "%jd %d %d %jd %jd %jd %jd %jd %jd",
                  number, (int)wait->tid, (int)wait->pid, ids[0], ids[1], ids[2], ids[3], ids[4],
                  ids[5]);
}

/* Ends what was not in that interval or later ones; the map keeps the others. */
static bool forget_sleepers(struct write_tasks *tasks, struct map *map, int64_t interval)
{
    struct map kept = {0};
    struct known *known;
    bool good = true;
    for (size_t at = 0; (known = map_next(map, &at));) {
        if (known->last >= interval) {
            map_put(&kept, known->id, known);
            continue;
        }
        if (known->key)
            good &= end_known(tasks, map, known->key, known->last);
        free(known);
    }
    map_release(map);
    *map = kept;
    return good;
}

int write_tasks_forget(struct write_tasks *tasks, int64_t interval, bool all, struct err *err)
{
    if (all && !(forget_sleepers(tasks, &tasks->containers, interval - NAMES_KEPT) &&
                 forget_sleepers(tasks, &tasks->tasks, interval) &&
                 forget_sleepers(tasks, &tasks->processes, interval)))
        return db_fail(tasks->meta->db, "record to", err);
    return db_exec(tasks->meta->db, err,
                   "DELETE FROM tasks WHERE last < %lld; DELETE FROM processes WHERE last < %lld;"
                   "DELETE FROM containers WHERE interval < %lld - %d;"
                   "DELETE FROM texts WHERE id <="
                   " (SELECT max(id) FROM texts WHERE interval < %lld) - %d",
                   (long long)interval, (long long)interval, (long long)interval, NAMES_KEPT,
                   (long long)interval, TEXTS_BACK);
}

/* ---- the tasks of an interval ---- */

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
                 task->tid == process->pid && !map_get(&tasks->processes, process->id);
    bool good = true;
    if (!alone) {
        if (!use->key)
            use->key = write_process(tasks, process, use->ran, use->cgroup, number);
        good = use->key != 0;
    }
    if (good && !brief) {
        field[PACK_TASK] = write_task(tasks, task, use->key, number);
        return field[PACK_TASK] ? TASK_KNOWN : TASK_KINDS;
    }
    if (good) {
        field[PACK_IDENT] = (int64_t)task->id;
        field[PACK_TID] = task->tid;
        field[PACK_COMM] = write_text(tasks, task->comm, number);
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
        field[PACK_USER] = user ? write_text(tasks, user, number) : 0;
        field[PACK_PROCESS_COMM] = write_text(tasks, process->comm, number);
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
        field[PACK_CGROUP] =
            path && write_container(tasks, path, number) ? write_text(tasks, path, number) : 0;
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
    bool brief = is_brief(tasks, task, active, number);
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
                      facts->most[kind], span_kinds[kind].name, spans.text);
    }
    return good;
}

bool write_tasks_take(struct write_tasks *tasks, const struct snapshot *interval,
                      const struct watch *watch, int64_t number)
{
    const struct event_set *set = interval->events;
    bool good = true;
    mem_grow(&tasks->uses, &tasks->use_room, interval->process_count, sizeof(*tasks->uses));
    if (interval->process_count)
        memset(tasks->uses, 0, interval->process_count * sizeof(*tasks->uses));
    for (size_t t = 0; t < interval->task_count; t++) {
        const struct task_sample *task = &interval->tasks[t];
        struct process_use *use = &tasks->uses[task->process];
        use->tasks++;
        use->ran |= task->oncpu > 0;
        if (!use->cgroup || task->tid == interval->processes[task->process].pid)
            use->cgroup = cgroup_names_find(interval->cgroups, task->cgroup);
    }
    tasks->tells_cgroups = interval->cgroups != NULL;
    AUTO_FREE char *columns = pack_columns(set->count, set->groups, false);
    tasks->add_pack = db_insert(tasks->meta->db, "task_packs", "id, ", columns);
    good = tasks->add_pack != NULL;
    bool timed = needs_times(interval);
    for (enum task_kind kind = 0; kind < TASK_KINDS; kind++) {
        pack_begin(&tasks->packs[kind], set);
        tasks->packs[kind].timed = timed;
    }
    for (size_t t = 0; t < interval->task_count && good; t++) {
        const struct task_sample *task = &interval->tasks[t];
        const struct process_info *process = &interval->processes[task->process];
        if (snapshot_may_have(watch, interval, task))
            good = add(tasks, task, process, &tasks->uses[task->process], number, interval) &&
                   write_facts(tasks, task, number) && write_takers(tasks, task, number);
    }
    for (enum task_kind kind = 0; kind < TASK_KINDS && good; kind++)
        good = flush(tasks, kind);
    return good;
}
