#include "record/writer.h"

#include <sys/file.h>

/* ---- the writer ---- */

struct known_set {
    int64_t id;
    char *rows; /* its INSERTs */
};

/* Tasks of a kind are in a pack of their own. */
enum task_kind {
    TASK_KNOWN, /* they have a row in `tasks` */
    TASK_BRIEF, /* they have none, but their process has one in `processes` */
    TASK_ALONE, /* each began and ended in the interval, and was its process's only task */
    TASK_KINDS
};

struct writer {
    struct db *db;
    int lock;                  /* descriptor of the file, which holds the lock; -1: in memory */
    bool made;                 /* the file was not there before */
    bool uncommitted;          /* its last one waits for readers; never in WAL mode */
    bool failed;               /* nothing more is recorded */
    bool part;                 /* of what is counted, which goes on when it ends */
    int64_t interval, cpu_row; /* ids of the rows written last */
    uint64_t intervals;
    uint64_t waits_seq; /* of the last waits that were written */

    /* Each run, session and set of events is written once, and again when it has changed. */
    int64_t run, session, set, generation; /* ids for the next interval; 0 before the first */
    char *session_row;                     /* its INSERT */
    struct event_set *events;              /* of the last interval */
    struct known_set *sets;                /* all sets of this run */
    size_t set_count, set_room;
    struct writer_lookup lookup;
    struct run_facts facts; /* known_as is owned */

    /* Of tasks and processes. */
    sqlite3_stmt *add_pack;
    struct map processes, tasks;                /* living ones, by id */
    struct map containers;                      /* whose names were written, by hash of the path */
    struct map texts;                           /* written recently, by hash */
    int64_t last_process, last_task, last_text; /* keys, never reused */
    int64_t pack;                               /* id of the one written last */
    struct process_use *uses;                   /* for each process of the snapshot */
    size_t use_room;
    bool tells_cgroups;            /* the interval being written does */
    uint64_t cgroup_wait;          /* ns between two reads of a process's cgroup */
    struct pack packs[TASK_KINDS]; /* not yet written */

    /* Of profiles: functions with their names, so that a replay needs no programs. */
    struct code_book *book;                /* whose numbers are in the maps; NULL: none yet */
    struct map objects, functions, stacks; /* keys of rows, as pointers, by hashes */
    struct map codes;  /* by function's key: how much of its code is written, see write_code() */
    bool code_pending; /* ... and more is being read */
    size_t pending_count, pending_room;
    struct unnamed_function *pending;     /* written before their names were known */
    int64_t object, function, stack, row; /* ids of the rows written last */
};

/* ---- sessions ---- */

static char *list_numbers(const int *numbers, size_t count)
{
    struct str text = str_new();
    for (size_t i = 0; i < count; i++)
        str_printf(&text, "%s%d", i ? "," : "", numbers[i]);
    return str_detach(&text);
}

static int write_run(struct writer *writer, const struct session *session, struct err *err)
{
    const struct run_facts *facts = &writer->facts;
    AUTO_FREE char *cpus = list_numbers(session->cpus.cpus, session->cpus.count);
    int result =
        db_exec(writer->db, err,
                "INSERT INTO runs VALUES (NULL, %Q, %!.17g, %Q, %Q, %Q, %Q, %!.17g, %Q, %Q,"
                " %Q, %Q)",
                facts->version, clock_wall(), session->host, session->kernel, session->cpu_model,
                facts->known_as, facts->ghz_nominal, cpus, session->engine, session->engine_reason,
                session->command);
    writer->run = sqlite3_last_insert_rowid(writer->db->handle);
    return result;
}

/* Adds SQL, formatted as by db_exec(). */
static void add_sql(struct str *sql, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = sqlite3_vmprintf(format, args);
    va_end(args);
    if (!text)
        mem_abort();
    str_add(sql, text);
    sqlite3_free(text);
}

static int write_session(struct writer *writer, const struct session *session, struct err *err)
{
    const struct watch *watch = &session->watch;
    AUTO_FREE char *threads = list_numbers(watch->tids, watch->tid_count);
    AUTO_STR struct str processes = str_new(), users = str_new();
    for (size_t i = 0; i < watch->pid_count; i++)
        str_printf(&processes, "%s%d", processes.length ? "," : "", (int)watch->pids[i]);
    for (size_t i = 0; i < watch->names.count; i++)
        str_printf(&processes, "%s%s", processes.length ? "," : "", watch->names.items[i]);
    for (size_t i = 0; i < watch->user_count; i++)
        str_printf(&users, "%s%u", i ? "," : "", (unsigned)watch->users[i]);
    AUTO_STR struct str row = str_new();
    add_sql(&row,
            "INSERT INTO sessions VALUES (NULL, %lld, %d, %!.17g, %Q, %Q, %lld, %Q, %Q, %Q, %Q, "
            "%d, %Q)",
            (long long)writer->run, (int)session->mode, session->delay, session->notice,
            session->faults, (long long)session->counters, processes.text, threads, users.text,
            watch->cgroup, (int)watch->command, session->screen);
    if (str_equal(writer->session_row, row.text))
        return 0;
    free(writer->session_row);
    writer->session_row = mem_strdup(row.text);
    int result = db_exec(writer->db, err, "%s", row.text);
    writer->session = sqlite3_last_insert_rowid(writer->db->handle);
    return result;
}

/* ---- events ---- */

/* The INSERTs of a set and its events, by which equal sets are known. */
static char *set_rows(const struct event_set *set)
{
    struct str sql = str_new();
    add_sql(&sql, "INSERT INTO event_sets VALUES (NULL, %lld, %Q);", (long long)set->groups,
            set->note);
    for (size_t e = 0; e < set->count; e++) {
        const struct event_info *event = &set->events[e];
        add_sql(&sql,
                "INSERT INTO events VALUES ((SELECT max(id) FROM event_sets), %lld, %Q, %Q, %Q,"
                " %!.17g, %d, %Q, %d, %Q, %d, %d);",
                (long long)e, event->name, event->pmu, event->unit, event->scale,
                event->shared | (int)event->kept << 1, event->encoding, (int)event->state,
                event->reason, event->group, event->hardware);
    }
    return str_detach(&sql);
}

/* Sets run, session, set and generation for an interval with this session and these events; writes
 * rows for new ones. *views is set if the views lack some events. */
static int begin_facts(struct writer *writer, const struct session *session,
                       struct event_set *events, bool *views, struct err *err)
{
    *views = false;
    if ((!writer->run && write_run(writer, session, err) < 0) ||
        write_session(writer, session, err) < 0)
        return -1;
    if (events == writer->events)
        return 0;
    /* The reference keeps the address of the last set from being used again for another one. */
    event_set_drop(writer->events);
    writer->events = mem_share(events);
    writer->generation++;
    AUTO_FREE char *rows = set_rows(events);
    for (size_t s = 0; s < writer->set_count; s++)
        if (str_equal(writer->sets[s].rows, rows)) {
            writer->set = writer->sets[s].id;
            return 0;
        }
    if (db_exec(writer->db, err, "%s", rows) < 0 ||
        schema_extend(writer->db, events->count, events->groups, err) < 0)
        return -1;
    writer->set = db_number(writer->db, "SELECT max(id) FROM event_sets", 0);
    *MEM_ADD(writer->sets, writer->set_count, writer->set_room) =
        (struct known_set){writer->set, mem_strdup(rows)};
    *views = true;
    return 0;
}

/* ---- processes and tasks, each once, and again when it has changed; and what tasks did in an
 * interval, as packs (record/schema.h) ---- */

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
/* ns between two reads of a process's cgroup: at least, for each process that ran in an interval,
 * and at most. */
static const uint64_t CGROUP_PERIOD = 1000000000, CGROUP_SHARE = 250000000,
                      CGROUP_PERIOD_MAX = 10000000000;

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

static bool end_known(struct writer *writer, const struct map *map, int64_t key, int64_t last)
{
    const char *sql = map == &writer->tasks ? "UPDATE tasks SET last = ?2 WHERE id = ?1"
                                            : "UPDATE processes SET last = ?2 WHERE id = ?1";
    return db_put(writer->db, sql, "%jd %jd", key, last);
}

/* Reads a process's cgroup, which changes while it runs, unless the interval tells it; false if it
 * is not known. */
static bool ask_cgroup(const struct writer *writer, struct known_process *known,
                       const struct process_info *process, const char *cgroup, char path[PATH_SIZE])
{
    const struct writer_lookup *lookup = &writer->lookup;
    known->asked = clock_monotonic();
    if (writer->tells_cgroups)
        snprintf(path, PATH_SIZE, "%s", cgroup ? cgroup : "");
    if (writer->tells_cgroups ? !cgroup
                              : process->exited || !lookup->cgroup ||
                                    !lookup->cgroup(lookup->ctx, process->pid, path, PATH_SIZE))
        return false;
    known->cgroup = str_hash(path);
    return true;
}

static bool has_moved(const struct writer *writer, struct known_process *known,
                      const struct process_info *process, const char *cgroup)
{
    char path[PATH_SIZE];
    uint64_t before = known->cgroup;
    return (writer->tells_cgroups || clock_monotonic() - known->asked >= writer->cgroup_wait) &&
           ask_cgroup(writer, known, process, cgroup, path) && known->cgroup != before;
}

/* Writes the name of the container that has a cgroup, if it is one's. False if writing failed. */
static bool write_container(struct writer *writer, const char *path, int64_t interval)
{
    const struct writer_lookup *lookup = &writer->lookup;
    const char *name = lookup->container ? lookup->container(lookup->ctx, path) : NULL;
    struct known *known = name ? know(&writer->containers, str_hash(path), sizeof(*known)) : NULL;
    if (!known || (known->last && interval - known->last < NAMES_KEPT))
        return true;
    known->last = interval;
    return db_put(writer->db, "REPLACE INTO containers", "%s %jd %s", path, interval, name);
}

/* The key of the process's row in `processes`, written if necessary; 0 if writing failed. Frees the
 * state of what has exited. ran: in the interval, so that its cgroup may be asked, where the
 * interval does not tell it. */
static int64_t write_process(struct writer *writer, const struct process_info *process, bool ran,
                             const char *cgroup, int64_t interval)
{
    const struct writer_lookup *lookup = &writer->lookup;
    struct known_process *known = know(&writer->processes, process->id, sizeof(*known));
    const struct process_info *old = &known->info;
    bool same = known->known.key && old->pid == process->pid && old->ppid == process->ppid &&
                old->uid == process->uid && old->command == process->command &&
                strcmp(old->comm, process->comm) == 0 &&
                !(ran && has_moved(writer, known, process, cgroup));
    bool good = true;
    if (known->known.key && (!same || process->exited))
        good = end_known(writer, &writer->processes, known->known.key, interval - !same);
    if (!same) {
        char path[PATH_SIZE];
        bool named = process->uid != (uid_t)-1;
        AUTO_FREE char *line =
            process->exited || !lookup->cmdline ? NULL : lookup->cmdline(lookup->ctx, process->pid);
        if (line && strlen(line) > DB_TEXT_MAX)
            line[DB_TEXT_MAX] = '\0';
        bool has_path = ask_cgroup(writer, known, process, cgroup, path);
        good &= !has_path || write_container(writer, path, interval);
        bool done =
            db_put(writer->db,
                   "INSERT INTO processes (id, ident, pid, ppid, uid, command, last, user, comm,"
                   " cmdline, cgroup)",
                   "%jd %ju %d %d %jd %d %jd %s %s %s %s", ++writer->last_process, process->id,
                   (int)process->pid, (int)process->ppid, named ? (int64_t)process->uid : DB_NULL,
                   process->command, process->exited ? interval : DB_NULL,
                   named && lookup->user ? lookup->user(lookup->ctx, process->uid) : NULL,
                   process->comm, line, has_path ? path : NULL);
        known->known.key = done ? writer->last_process : 0;
        known->info = *process;
    }
    known->known.last = interval;
    int64_t key = good ? known->known.key : 0;
    if (process->exited)
        free(map_remove(&writer->processes, process->id));
    return key;
}

/* Whether a task gets no row in `tasks` in this interval, so that its names are beside what it did:
 * until its fourth interval, as most that live no longer, and when it ends without one; not if it
 * was sleeping when it was first seen. Ask once per interval. active: it did something. */
static bool is_brief(struct writer *writer, const struct task_sample *task, bool active,
                     int64_t interval)
{
    struct known_task *known = map_get(&writer->tasks, task->id);
    if (task->final && (!known || !known->known.key)) {
        free(map_remove(&writer->tasks, task->id));
        return true;
    }
    if (known ? known->known.key || interval - known->since >= BRIEF_INTERVALS : !active)
        return false;
    if (!known) {
        known = know(&writer->tasks, task->id, sizeof(*known));
        known->since = interval;
    }
    known->known.last = interval;
    return true;
}

/* The key of the task's row in `tasks`, likewise. */
static int64_t write_task(struct writer *writer, const struct task_sample *task, int64_t process,
                          int64_t interval)
{
    struct known_task *known = know(&writer->tasks, task->id, sizeof(*known));
    bool written = known->known.key != 0;
    bool same = written && known->process == process && known->tid == task->tid &&
                strcmp(known->comm, task->comm) == 0;
    bool good = true;
    if (written && (!same || task->final))
        good = end_known(writer, &writer->tasks, known->known.key, interval - !same);
    if (!same) {
        bool done = db_put(writer->db, "INSERT INTO tasks", "%jd %jd %ju %jd %d %s %jd %jd",
                           ++writer->last_task, writer->run, task->id, process, (int)task->tid,
                           task->comm, interval, task->final ? interval : DB_NULL);
        known->known.key = done ? writer->last_task : 0;
        known->process = process;
        known->tid = task->tid;
        memcpy(known->comm, task->comm, sizeof(known->comm));
    }
    known->known.last = interval;
    int64_t key = good ? known->known.key : 0;
    if (task->final)
        free(map_remove(&writer->tasks, task->id));
    return key;
}

struct known_text {
    int64_t key;
    char text[];
};

/* The key of a row in `texts`; 0 if writing failed. */
static int64_t write_text(struct writer *writer, const char *text, int64_t interval)
{
    uint64_t hash = str_hash(text);
    struct known_text *known = map_get(&writer->texts, hash);
    if (known && known->key > writer->last_text - TEXTS_BACK && strcmp(known->text, text) == 0)
        return known->key;
    if (writer->texts.count >= TEXTS_BACK)
        map_free(&writer->texts);
    known = mem_alloc(sizeof(*known) + strlen(text) + 1);
    strcpy(known->text, text);
    known->key = ++writer->last_text;
    free(map_put(&writer->texts, hash, known));
    return db_put(writer->db, "INSERT INTO texts", "%jd %jd %s", known->key, interval, known->text)
               ? known->key
               : 0;
}

/* Writes what a task waited for at the end of an interval. False if that failed. */
static bool write_wait(struct writer *writer, const struct task_wait *wait, int64_t number)
{
    const char *const texts[] = {wait->kind, wait->text,   wait->address,
                                 wait->path, wait->reason, wait->deadlock};
    int64_t ids[sizeof(texts) / sizeof(*texts)];
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
        ids[i] = texts[i] ? write_text(writer, texts[i], number) : DB_NULL;
    return db_put(writer->db, "REPLACE INTO waits_for", "%jd %d %d %jd %jd %jd %jd %jd %jd", number,
                  (int)wait->tid, (int)wait->pid, ids[0], ids[1], ids[2], ids[3], ids[4], ids[5]);
}

/* Ends what was not in that interval or later ones; the map keeps the others. */
static bool forget_sleepers(struct writer *writer, struct map *map, int64_t interval)
{
    struct map kept = {0};
    bool good = true;
    MAP_EACH (struct known, known, map) {
        if (known->last >= interval) {
            map_put(&kept, known->id, known);
            continue;
        }
        if (known->key)
            good &= end_known(writer, map, known->key, known->last);
        free(known);
    }
    map_release(map);
    *map = kept;
    return good;
}

/* Deletes what ended, and texts that were written, so long before an interval that it does not need
 * them. all: also processes and tasks that live and were not in it or later ones; they are written
 * again when they reappear. */
static int forget_tasks(struct writer *writer, int64_t interval, bool all, struct err *err)
{
    if (all && !(forget_sleepers(writer, &writer->containers, interval - NAMES_KEPT) &&
                 forget_sleepers(writer, &writer->tasks, interval) &&
                 forget_sleepers(writer, &writer->processes, interval)))
        return db_fail(writer->db, "record to", err);
    return db_exec(writer->db, err,
                   "DELETE FROM tasks WHERE last < %lld; DELETE FROM processes WHERE last < %lld;"
                   "DELETE FROM containers WHERE interval < %lld - %d;"
                   "DELETE FROM texts WHERE id <="
                   " (SELECT max(id) FROM texts WHERE interval < %lld) - %d",
                   (long long)interval, (long long)interval, (long long)interval, NAMES_KEPT,
                   (long long)interval, TEXTS_BACK);
}

/* ---- the tasks of an interval ---- */

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

static bool flush(struct writer *writer, enum task_kind kind)
{
    struct pack *pack = &writer->packs[kind];
    bool good = !pack->rows || pack_write(pack, writer->add_pack, ++writer->pack);
    pack->rows = 0;
    return good;
}

/* The kind of a task, and the fields that this kind has. TASK_KINDS if its facts could not be
 * written. brief: it gets no row in `tasks`. */
static enum task_kind describe(struct writer *writer, const struct task_sample *task,
                               const struct process_info *process, struct process_use *use,
                               bool brief, int64_t number, int64_t field[PACK_FIELDS])
{
    bool alone = brief && task->exited && !use->key && use->tasks == 1 && process->exited &&
                 task->tid == process->pid && !map_get(&writer->processes, process->id);
    bool good = true;
    if (!alone) {
        if (!use->key)
            use->key = write_process(writer, process, use->ran, use->cgroup, number);
        good = use->key != 0;
    }
    if (good && !brief) {
        field[PACK_TASK] = write_task(writer, task, use->key, number);
        return field[PACK_TASK] ? TASK_KNOWN : TASK_KINDS;
    }
    if (good) {
        field[PACK_IDENT] = (int64_t)task->id;
        field[PACK_TID] = task->tid;
        field[PACK_COMM] = write_text(writer, task->comm, number);
        field[PACK_PROCESS] = alone ? PACK_ABSENT : use->key;
        good = field[PACK_COMM] != 0;
    }
    if (good && alone) {
        bool named = process->uid != (uid_t)-1;
        const char *user = named && writer->lookup.user
                               ? writer->lookup.user(writer->lookup.ctx, process->uid)
                               : NULL;
        field[PACK_PROCESS_IDENT] = (int64_t)process->id;
        field[PACK_PPID] = process->ppid;
        field[PACK_UID] = named ? (int64_t)process->uid + 1 : 0;
        field[PACK_USER] = user ? write_text(writer, user, number) : 0;
        field[PACK_PROCESS_COMM] = write_text(writer, process->comm, number);
        field[PACK_COMMAND] = process->command;
        good = field[PACK_PROCESS_COMM] != 0 && (!user || field[PACK_USER] != 0);
    }
    return !good ? TASK_KINDS : alone ? TASK_ALONE : TASK_BRIEF;
}

/* Adds a row for what a task did in a cgroup; names: NULL if these are not known. */
static bool add_row(struct writer *writer, enum task_kind kind, int64_t field[PACK_FIELDS],
                    uint64_t cgroup, const struct counts *counts, const struct cgroup_names *names,
                    int64_t number)
{
    const char *path = cgroup_names_find(names, cgroup);
    if (names)
        field[PACK_CGROUP] =
            path && write_container(writer, path, number) ? write_text(writer, path, number) : 0;
    pack_add(&writer->packs[kind], field, counts);
    return writer->packs[kind].rows < PACK_ROWS || flush(writer, kind);
}

static bool add(struct writer *writer, const struct task_sample *task,
                const struct process_info *process, struct process_use *use, int64_t number,
                const struct snapshot *interval)
{
    const struct event_set *set = interval->events;
    const struct cgroup_names *names = interval->cgroups;
    int64_t field[PACK_FIELDS];
    for (size_t f = 0; f < PACK_FIELDS; f++)
        field[f] = PACK_ABSENT;
    bool active = task->oncpu > 0 || task->exited || task->state != EVENT_COUNTED;
    for (size_t e = 0; e < set->count && !active; e++)
        active = task->counts.value[e] > 0;
    bool brief = is_brief(writer, task, active, number);
    enum task_kind kind = describe(writer, task, process, use, brief, number, field);
    if (kind == TASK_KINDS)
        return false;
    if (!active && !brief)
        return true;
    field[PACK_FLAGS] = (task->exited ? ROW_EXITED : 0) |
                        (process->exited ? ROW_PROCESS_EXITED : 0) | (active ? 0 : ROW_SLEPT) |
                        ((int)task->state << ROW_STATE_SHIFT);
    field[PACK_CPU] = task->cpu;
    field[PACK_ONCPU] = (int64_t)task->oncpu;
    bool good = add_row(writer, kind, field, task->cgroup, &task->counts, names, number);
    for (size_t m = 0; m < task->move_count && good && active; m++) {
        const struct task_move *move = &task->moves[m];
        field[PACK_FLAGS] = ROW_MOVED;
        field[PACK_ONCPU] = (int64_t)move->oncpu;
        good = add_row(writer, kind, field, move->cgroup, &move->counts, names, number);
    }
    return good;
}

static bool write_taker(struct writer *writer, const struct task_sample *task, int64_t number,
                        const struct wait_taker *taker)
{
    return taker->taken == 0 ||
           db_put(writer->db, "INSERT INTO wait_takers (interval, ident, pid, taken, sure, comm)",
                  "%jd %ju %d %ju %ju %s", number, task->id, (int)taker->pid, taker->taken,
                  taker->sure, taker->comm);
}

static bool write_takers(struct writer *writer, const struct task_sample *task, int64_t number)
{
    const struct wait_takers *takers = task->wait_facts ? task->wait_facts->takers : NULL;
    bool good = true;
    for (size_t i = 0; takers && i < takers->count && good; i++)
        good = write_taker(writer, task, number, &takers->list[i]);
    for (enum no_taker i = 0; takers && i < NO_TAKERS && good; i++) {
        struct wait_taker none = {.taken = takers->none[i]};
        strcpy(none.comm, no_taker_names[i]);
        good = write_taker(writer, task, number, &none);
    }
    return good;
}

static bool write_facts(struct writer *writer, const struct task_sample *task, int64_t number)
{
    const struct wait_facts *facts = task->wait_facts;
    uint64_t counts[SPAN_BUCKETS];
    AUTO_STR struct str spans = str_new();
    bool good = true;
    for (enum span_kind kind = 0; facts && kind < SPAN_KINDS && good; kind++) {
        if (wait_facts_buckets(facts, kind, counts) == 0)
            continue;
        str_clear(&spans);
        for (size_t b = 0; b < SPAN_BUCKETS; b++) {
            if (counts[b] == 0)
                continue;
            str_add(&spans, spans.length ? ",\"" : "{\"");
            str_add_number(&spans, span_least(b));
            str_add(&spans, "\":");
            str_add_number(&spans, counts[b]);
        }
        str_add(&spans, "}");
        good = db_put(writer->db,
                      "INSERT INTO wait_facts (interval, ident, total, longest, kind, spans)",
                      "%jd %ju %ju %ju %s %s", number, task->id, facts->sum[kind],
                      facts->most[kind], span_kinds[kind].name, spans.text);
    }
    return good;
}

/* Writes those that are or may be watched and did something; of the others only that they existed.
 * number: of the interval. False if that failed. */
static bool write_tasks(struct writer *writer, const struct snapshot *interval,
                        const struct watch *watch, int64_t number)
{
    const struct event_set *set = interval->events;
    size_t ran = 0;
    bool good = true;
    mem_grow(&writer->uses, &writer->use_room, interval->process_count, sizeof(*writer->uses));
    if (interval->process_count)
        memset(writer->uses, 0, interval->process_count * sizeof(*writer->uses));
    for (size_t t = 0; t < interval->task_count; t++) {
        const struct task_sample *task = &interval->tasks[t];
        struct process_use *use = &writer->uses[task->process];
        use->tasks++;
        ran += !use->ran && task->oncpu > 0;
        use->ran |= task->oncpu > 0;
        if (!use->cgroup || task->tid == interval->processes[task->process].pid)
            use->cgroup = cgroup_names_find(interval->cgroups, task->cgroup);
    }
    uint64_t wait = ran * CGROUP_SHARE;
    writer->cgroup_wait = wait < CGROUP_PERIOD       ? CGROUP_PERIOD
                          : wait > CGROUP_PERIOD_MAX ? CGROUP_PERIOD_MAX
                                                     : wait;
    writer->tells_cgroups = interval->cgroups != NULL;
    AUTO_FREE char *columns = pack_columns(set->count, set->groups);
    writer->add_pack = db_insert(writer->db, "task_packs", "id, ", columns);
    good = writer->add_pack != NULL;
    bool timed = needs_times(interval);
    for (enum task_kind kind = 0; kind < TASK_KINDS; kind++) {
        pack_begin(&writer->packs[kind], set);
        writer->packs[kind].timed = timed;
    }
    for (size_t t = 0; t < interval->task_count && good; t++) {
        const struct task_sample *task = &interval->tasks[t];
        const struct process_info *process = &interval->processes[task->process];
        struct watched watched = snapshot_watched(interval, task);
        if (watch_may_have(watch, &watched))
            good = add(writer, task, process, &writer->uses[task->process], number, interval) &&
                   write_facts(writer, task, number) && write_takers(writer, task, number);
    }
    for (enum task_kind kind = 0; kind < TASK_KINDS && good; kind++)
        good = flush(writer, kind);
    return good;
}

/* ---- profiles: functions with their names, so that a replay needs no programs ---- */

/* How often, and each time for how long, the end of a recording waits for what is still read. */
enum { FINISH_STEPS = 4, AWAIT_STEPS = 1000 };
static const double FINISH_SECONDS = 1;

struct unnamed_function {
    int64_t id;
    int64_t row; /* of profile_rows: the first one that may be of this place */
    struct code_place place;
};

/* Call after rows were deleted: everything is written again when it reappears. */
static void forget_profiles(struct writer *writer)
{
    map_clear(&writer->objects);
    map_clear(&writer->functions);
    map_clear(&writer->stacks);
    map_clear(&writer->codes);
    writer->pending_count = 0;
}

static int64_t known_id(const struct map *map, uint64_t key)
{
    return (int64_t)(intptr_t)map_get(map, key);
}

static void know_id(struct map *map, uint64_t key, int64_t id)
{
    map_put(map, key, (void *)(intptr_t)id);
}

/* The id of the object's row, written if necessary; 0 if writing failed. */
static int64_t object_id(struct writer *writer, uint32_t number)
{
    int64_t id = known_id(&writer->objects, (uint64_t)number + 1);
    if (id)
        return id;
    struct code_object object;
    code_book_object(writer->book, number, &object);
    id = ++writer->object;
    if (!db_put(writer->db, "INSERT INTO objects", "%jd %s %s %s", id, object.name, object.path,
                object.reason))
        return 0;
    know_id(&writer->objects, (uint64_t)number + 1, id);
    return id;
}

static uint64_t function_key(uint32_t object, uint64_t start, enum code_state state)
{
    return ((uint64_t)object + 1) << 42 ^ start << 2 ^ state;
}

/* The same for the function of a place. Places whose names are still looked up have rows of their
 * own, which get the name later, and so have the rows of their samples, which get the address. */
static int64_t function_id(struct writer *writer, struct code_place place)
{
    struct code_function code;
    code_book_function(writer->book, place, &code);
    bool bounds = code.state == CODE_NAMED || code.state == CODE_BOUNDED;
    uint64_t start = bounds ? code.start : code.state == CODE_PENDING ? place.address : 0;
    uint64_t key = function_key(code.object, start, code.state);
    int64_t id = known_id(&writer->functions, key), object = object_id(writer, code.object);
    if (id || !object)
        return id;
    id = ++writer->function;
    if (!db_put(writer->db, "INSERT INTO functions", "%jd %jd %d %ju %ju %s", id, object,
                (int)code.state, start, code.size, code.name))
        return 0;
    know_id(&writer->functions, key, id);
    if (code.state == CODE_PENDING) {
        *MEM_ADD(writer->pending, writer->pending_count, writer->pending_room) =
            (struct unnamed_function){id, writer->row + 1, place};
    }
    return id;
}

/* The instruction of a place; DB_NULL: it is not known. */
static int64_t instruction(const struct code_function *code)
{
    bool known = (code->state == CODE_NAMED || code->state == CODE_BOUNDED) && !code->whole;
    return known ? (int64_t)code->address : DB_NULL;
}

/* Adds what has been found since the functions were written. */
static bool name_pending(struct writer *writer)
{
    size_t kept = 0;
    for (size_t i = 0; i < writer->pending_count; i++) {
        struct code_function code;
        const struct unnamed_function *unnamed = &writer->pending[i];
        code_book_function(writer->book, unnamed->place, &code);
        if (code.state == CODE_PENDING) {
            writer->pending[kept++] = *unnamed;
            continue;
        }
        if (!db_put(
                writer->db,
                "UPDATE functions SET state = ?2, start = ?3, size = ?4, name = ?5 WHERE id = ?1",
                "%jd %d %ju %ju %s", unnamed->id, (int)code.state, code.start, code.size,
                code.name) ||
            !db_put(writer->db,
                    "UPDATE profile_rows SET address = ?3 WHERE id >= ?2 AND function = ?1 AND"
                    " address IS NULL",
                    "%jd %jd %jd", unnamed->id, unnamed->row, instruction(&code)))
            return false;
        uint64_t key = function_key(code.object, code.start, code.state);
        if (!known_id(&writer->functions, key))
            know_id(&writer->functions, key, unnamed->id);
    }
    writer->pending_count = kept;
    return true;
}

/* Writes the lines of a function that are in files which have been read. */
static bool write_sources(struct writer *writer, uint32_t object, const struct line_table *table)
{
    int64_t id = object_id(writer, object);
    bool good = id > 0;
    for (size_t f = 0; f < table->file_count && good; f++) {
        struct source_file *source = code_book_source(writer->book, object, table->files[f]);
        for (size_t r = 0; source && r < table->count && good; r++) {
            const struct line_row *row = &table->rows[r];
            char text[1024];
            if (row->line == 0 || row->file != f)
                continue;
            source_file_line(source, row->line, text, sizeof(text));
            good = !*text || db_put(writer->db, "REPLACE INTO source_lines", "%jd %s %jd %s", id,
                                    table->files[f], (int64_t)row->line, text);
        }
        source_file_drop(source);
    }
    return good;
}

static bool write_listing(struct writer *writer, int64_t id, const struct code_listing *listing,
                          const struct line_table *table)
{
    AUTO_STR struct str instructions = str_new(), lines = str_new();
    code_listing_write(listing, &instructions);
    if (table)
        line_table_write(table, &lines);
    return db_put(writer->db, "REPLACE INTO code", "%jd %s %s", id, instructions.text,
                  table ? lines.text : NULL);
}

/* Writes what is known of the code of a function, unless as much is written already: its
 * instructions count 1, its lines 1, and each source file 1. */
static bool write_code(struct writer *writer, const struct code_listed *listed)
{
    const struct code_listing *listing = listed->listing;
    struct code_function function = {.state = CODE_NAMED,
                                     .start = listing->start,
                                     .size = listing->size,
                                     .object = listed->object,
                                     .address = listing->start};
    int64_t id =
        known_id(&writer->functions, function_key(function.object, function.start, CODE_NAMED));
    if (!id)
        id = known_id(&writer->functions,
                      function_key(function.object, function.start, CODE_BOUNDED));
    if (!id || listing->count == 0)
        return true;
    struct line_table *table = code_book_lines(writer->book, &function);
    size_t known = table ? 2 : 1;
    bool good = true;
    writer->code_pending |= !table;
    for (size_t f = 0; table && f < table->file_count; f++) {
        struct source_file *source =
            code_book_source(writer->book, function.object, table->files[f]);
        known += source != NULL;
        writer->code_pending |= !source;
        source_file_drop(source);
    }
    if (known > (size_t)known_id(&writer->codes, (uint64_t)id)) {
        good = (!table || write_sources(writer, function.object, table)) &&
               write_listing(writer, id, listing, table);
        if (good)
            know_id(&writer->codes, (uint64_t)id, (int64_t)known);
    }
    line_table_drop(table);
    return good;
}

/* The code of functions that were looked at. */
static bool write_codes(struct writer *writer)
{
    struct code_listed *listed;
    bool good = true;
    writer->code_pending = false;
    size_t count = code_book_listed(writer->book, &listed);
    for (size_t i = 0; i < count; i++) {
        good = good && write_code(writer, &listed[i]);
        code_listing_drop(listed[i].listing);
    }
    free(listed);
    return good;
}

/* Adds names and code that are found soon. `last`: no more follow; names are waited for as
 * code_book_await() does. */
static void finish_profiles(struct writer *writer, bool last)
{
    if (last && writer->book)
        code_book_finish(writer->book);
    /* Names and instructions lead to lines, and these to sources. A table that is too large for the
     * book is read in parts. */
    int awaited = 0;
    for (int step = 0; step < FINISH_STEPS && writer->book; step++) {
        if (step > 0 && last && writer->pending_count > 0 && awaited < AWAIT_STEPS &&
            code_book_await(writer->book)) {
            step--;
            awaited++;
        } else if (step > 0)
            code_book_settle(writer->book, FINISH_SECONDS, false);
        if (db_exec(writer->db, NULL, "BEGIN") < 0)
            return;
        bool good = name_pending(writer) && write_codes(writer);
        db_exec(writer->db, NULL, good ? "COMMIT" : "ROLLBACK");
        if (!good || (writer->pending_count == 0 && !writer->code_pending))
            return;
    }
}

/* The id of a chain of callers, the outermost first; each has a row that names its caller's. 0:
 * there are none; -1 if writing failed. */
static int64_t stack_id(struct writer *writer, const struct profile_chain *chain)
{
    int64_t stack = 0;
    for (size_t f = chain->depth; f-- > 0;) {
        int64_t function = function_id(writer, chain->frames[f]), caller = stack;
        if (!function)
            return -1;
        uint64_t key = ((uint64_t)caller << 32 ^ (uint64_t)function) + 1;
        stack = known_id(&writer->stacks, key);
        if (stack)
            continue;
        stack = ++writer->stack;
        if (!db_put(writer->db, "INSERT INTO stacks", "%jd %jd %jd", stack, caller, function))
            return -1;
        know_id(&writer->stacks, key, stack);
    }
    return stack;
}

static bool add_site(struct writer *writer, int64_t interval, const struct profile *profile,
                     size_t at)
{
    const struct profile_site *site = &profile->sites[at];
    struct code_function code;
    int64_t function = function_id(writer, site->place);
    int64_t stack = stack_id(writer, &profile->chains[site->chain]);
    if (!function || stack < 0)
        return false;
    enum { OWN = 8, ADDRESS = OWN + SCHEMA_BESIDE_MAX };
    int64_t row[ADDRESS + 1] = {
        ++writer->row,
        interval,
        site->pid,
        site->tid,
        function,
        stack,
        (int64_t)site->samples,
        (int64_t)site->weight,
    };
    for (size_t e = 0; e < SCHEMA_BESIDE_MAX; e++)
        row[OWN + e] =
            e < profile->events ? (int64_t)profile->values[at * profile->events + e] : DB_NULL;
    code_book_function(writer->book, site->place, &code);
    row[ADDRESS] = instruction(&code);
    return db_run(db_statement(writer->db, "INSERT INTO profile_rows VALUES (?1, ?2, ?3, ?4, ?5,"
                                           " ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)"),
                  row, ADDRESS + 1);
}

/* Adds an interval's profile. Names that were still looked up for earlier ones are added, and the
 * code of functions that were looked at. False if it could not be written. */
static bool write_profile(struct writer *writer, int64_t interval, const struct profile *profile)
{
    if (profile->book != writer->book) {
        forget_profiles(writer);
        code_book_drop(writer->book);
        writer->book = mem_share(profile->book);
    }
    int64_t first = writer->row + 1;
    bool good = name_pending(writer);
    for (size_t s = 0; s < profile->site_count && good; s++)
        good = add_site(writer, interval, profile, s);
    good = good && write_codes(writer);
    AUTO_STR struct str names = str_new();
    for (size_t e = 0; e < profile->events && e < SCHEMA_BESIDE_MAX; e++)
        str_printf(&names, "%s\n", profile->names[e]);
    return good &&
           db_put(writer->db, "INSERT INTO profiles",
                  "%jd %jd %jd %ju %ju %ju %ju %jd %d %s %s %s %s %d %ju %ju %ju %ju %ju %ju",
                  interval, first, writer->row, profile->rate, profile->lost, profile->throttled,
                  profile->exact,
                  profile->stacks != STACKS_NONE ? (int64_t)profile->short_stacks : -1,
                  profile->user_only, profile->event, profile->unit, names.text, profile->note,
                  (int)profile->stacks, profile->unwound, profile->late, profile->copied,
                  profile->unwinding, profile->ran, profile->alone);
}

/* ---- the file ---- */

static void remove_beside(const char *path)
{
    char *name;
    for (size_t i = 0; (name = db_beside(path, i)); i++) {
        unlink(name);
        free(name);
    }
}

/* Whether the path still leads to the file of that descriptor. */
static bool leads_to(const char *path, int fd)
{
    struct stat status, now;
    return fstat(fd, &status) == 0 && stat(path, &now) == 0 && status.st_dev == now.st_dev &&
           status.st_ino == now.st_ino;
}

/* Whether the open file, and what is beside it, are of no other user, who could end this program:
 * SQLite maps FILE-shm, and reading what was truncated meanwhile is SIGBUS. */
static bool writer_owns(const char *path, int fd)
{
    struct stat status;
    bool own = fstat(fd, &status) == 0 && status.st_uid == geteuid();
    char *name;
    for (size_t i = 0; (name = db_beside(path, i)); i++) {
        own = own && (lstat(name, &status) < 0 || status.st_uid == geteuid());
        free(name);
    }
    return own;
}

/* Locks the file for its only writer, by flock(2), which is independent of SQLite's fcntl(2) locks.
 * Those are lost when any descriptor of the file is closed, so this one is closed last. What is to
 * be replaced may be another user's. */
static int lock_file(const char *path, bool replaced, struct err *err)
{
    struct stat status;
    struct err why;
    int flags = O_RDWR | O_NONBLOCK | (replaced ? 0 : O_CREAT);
    int fd = file_create(path, flags, !replaced, &why);
    if (fd < 0) {
        err_set(err, "cannot record to '%.200s': %s", path, why.text);
    } else if (fstat(fd, &status) < 0) {
        err_set(err, "cannot record to '%.200s': %s", path, err_reason(errno));
    } else if (!S_ISREG(status.st_mode)) {
        err_set(err, "cannot record to '%.200s': it is no regular file", path);
    } else if (flock(fd, LOCK_EX | LOCK_NB) < 0 ||
               !leads_to(path, fd)) { /* another program replaced it meanwhile */
        err_set(err, "cannot record to '%.200s': another countertop does already", path);
    } else {
        return fd;
    }
    file_close(fd);
    return -1;
}

/* Takes a new file away that is not to be used. */
static int drop_new(const char *name, int fd)
{
    if (fd >= 0) {
        remove_beside(name);
        unlink(name);
        close(fd);
    }
    return -1;
}

/* Makes an empty recording in a new file; its locked descriptor, or -1 with a message. */
static int make_new(char *name, struct err *err)
{
    int fd = mkostemp(name, O_CLOEXEC);
    if (fd < 0)
        return err_set(err, "%s", err_reason(errno));
    struct db *db = NULL;
    bool good = flock(fd, LOCK_EX | LOCK_NB) == 0 && (db = db_open(name, true, err)) &&
                schema_create(db, err) == 0;
    db_close(db);
    return good ? fd : drop_new(name, fd);
}

/* Replaces the file by a new recording, and its lock by the new one's. The new file is complete
 * before that, so nothing is lost on failure. */
static int replace_file(const char *path, int old, struct err *err)
{
    struct err why;
    AUTO_FREE char *target = file_target(path, &why), *name = NULL;
    int fd = -1;
    if (target && !leads_to(target, old)) {
        err_set(&why, "it has been replaced meanwhile");
    } else if (target && (fd = make_new(name = mem_printf("%s.XXXXXX", target), &why)) >= 0) {
        remove_beside(target); /* first, else SQLite would use them for the new file */
        if (rename(name, target) < 0) {
            err_set(&why, "%s", err_reason(errno));
            fd = drop_new(name, fd);
        }
    }
    if (fd < 0)
        err_set(err, "cannot replace '%.200s': %s", path, why.text);
    close(old);
    return fd;
}

/* Whether a number could not be read for lack of memory or by the system: not because of the file.
 */
static bool unreadable(const struct db *db)
{
    int code = sqlite3_errcode(db->handle);
    return code == SQLITE_NOMEM || code == SQLITE_IOERR;
}

/* Continues the recording in the database; refuses another kind of database. */
static int writer_adopt(struct writer *writer, struct err *err)
{
    int64_t tables = db_number(writer->db, "SELECT count(*) FROM sqlite_master", -1);
    if (tables < 0 && unreadable(writer->db))
        return db_fail(writer->db, "record to", err);
    if (tables == 0 && db_number(writer->db, "PRAGMA application_id", 0) == 0)
        return schema_create(writer->db, err);
    struct err why;
    if (schema_check(writer->db, "record to", &why) < 0)
        return err_set(err, "%s; choose another name, or --force replaces it", why.text);
    /* Ids and keys go on behind the highest ones. */
    const struct {
        int64_t *last;
        const char *column, *table;
    } ids[] = {
        {&writer->interval, "id", "intervals"},
        {&writer->generation, "generation", "intervals"},
        {&writer->cpu_row, "id", "cpu_rows"},
        {&writer->pack, "id", "task_packs"},
        {&writer->last_process, "id", "processes"},
        {&writer->last_task, "id", "tasks"},
        {&writer->last_text, "id", "texts"},
        {&writer->object, "id", "objects"},
        {&writer->function, "id", "functions"},
        {&writer->stack, "id", "stacks"},
        {&writer->row, "id", "profile_rows"},
    };
    for (size_t i = 0; i < sizeof(ids) / sizeof(*ids); i++) {
        AUTO_FREE char *sql =
            mem_printf("SELECT coalesce(max(%s), 0) FROM %s", ids[i].column, ids[i].table);
        *ids[i].last = db_number(writer->db, sql, -1);
        if (*ids[i].last < 0 && unreadable(writer->db))
            return db_fail(writer->db, "record to", err);
        if (*ids[i].last < 0 || *ids[i].last > INT64_MAX / 2)
            return err_set(err,
                           "cannot record to '%.200s': it is damaged; choose another name, or "
                           "--force replaces it",
                           writer->db->name);
    }
    return schema_extend(writer->db, 0, 0, err); /* an older file */
}

struct writer *writer_open(const struct writer_options *options, struct err *err)
{
    const char *path = options->path;
    struct writer *writer = mem_alloc(sizeof(*writer));
    writer->made = path && access(path, F_OK) < 0;
    writer->lock = path ? lock_file(path, options->force && !writer->made, err) : -1;
    if (writer->lock >= 0 && writer->made)
        remove_beside(path); /* of a file that was moved away */
    if (writer->lock >= 0 && options->force)
        writer->lock = replace_file(path, writer->lock, err);
    bool good = !path || writer->lock >= 0;
    bool own = good && path && writer_owns(path, writer->lock);
    good = good && (writer->db = db_open(path, true, err));
    if (good && path && !own) /* so that no FILE-shm is needed */
        db_number(writer->db, "PRAGMA locking_mode = EXCLUSIVE", 0);
    good = good && writer_adopt(writer, err) == 0;
    /* A database in memory needs no WAL; on a file system without it the mode stays as it is. */
    if (good && path)
        db_exec(writer->db, NULL, "%s",
                own ? "PRAGMA journal_mode = WAL"
                    : "PRAGMA journal_mode = DELETE; PRAGMA locking_mode = NORMAL");
    good = good && db_exec(writer->db, err,
                           path ? "PRAGMA synchronous = NORMAL; PRAGMA cache_spill = OFF"
                                : "PRAGMA journal_mode = MEMORY") == 0;
    if (!good) {
        writer_close(writer);
        return NULL;
    }
    writer->lookup = options->lookup;
    writer->facts = options->facts;
    writer->facts.known_as = mem_strdup(options->facts.known_as);
    writer_wait(writer, 0);
    return writer;
}

/* Begins or commits a transaction: 1 if the file is locked. */
static int run_unlocked(struct writer *writer, const char *sql, struct err *err)
{
    if (db_run(db_statement(writer->db, sql), NULL, 0))
        return 0;
    bool locked = sqlite3_errcode(writer->db->handle) == SQLITE_BUSY;
    db_fail(writer->db, "record to", err);
    return locked ? 1 : -1;
}

int writer_commit(struct writer *writer, struct err *err)
{
    int result = writer->uncommitted ? run_unlocked(writer, "COMMIT", err) : 0;
    writer->uncommitted = result > 0;
    return result;
}

/* Where the file is now, as the end of a message; its log stays behind, so all that is in it is
 * moved into the file, which SQLite has open. The old name may be another file's now. */
static void follow_moved(struct writer *writer, char *text, size_t size)
{
    static const char DELETED[] = " (deleted)"; /* proc(5): the name is gone, others are not */
    AUTO_FREE char *link = mem_printf("/proc/self/fd/%d", writer->lock);
    char name[4096];
    int frames = 0, copied = 0;
    ssize_t length = readlink(link, name, sizeof(name) - 1);
    name[length > 0 ? length : 0] = '\0';
    bool known = length > 0 && !strstr(name, DELETED);
    db_exec(writer->db, NULL, "ROLLBACK"); /* if one has begun */
    sqlite3_wal_checkpoint_v2(writer->db->handle, NULL, SQLITE_CHECKPOINT_TRUNCATE, &frames,
                              &copied);
    if (access(writer->db->name, F_OK) < 0)
        remove_beside(writer->db->name);
    snprintf(text, size, "%s%.200s%s%s", known ? " to '" : "", known ? name : "", known ? "'" : "",
             frames > copied ? ", where it lacks the last ones, which another program is reading"
                             : "");
}

int writer_check(struct writer *writer, struct err *err)
{
    struct stat status;
    const char *path = writer->db->name;
    char text[400];
    if (writer->lock < 0 || leads_to(path, writer->lock))
        return 0;
    writer->failed = true;
    if (fstat(writer->lock, &status) == 0 && status.st_nlink > 0) {
        follow_moved(writer, text, sizeof(text));
        return err_set(err, "cannot record to '%.200s': the file was moved%s", path, text);
    }
    writer->intervals = 0;
    return err_set(err, "cannot record to '%.200s': the file was removed or replaced", path);
}

/* Adds what tasks waited for at the end of the interval written last. */
static bool add_waits(struct writer *writer)
{
    const struct writer_lookup *lookup = &writer->lookup;
    struct task_wait wait;
    uint64_t seq = writer->waits_seq;
    bool good = true;
    for (size_t at = 0; good && lookup->wait && lookup->wait(lookup->ctx, &at, &wait);)
        if (writer->interval > 0 && wait.seq > writer->waits_seq) {
            good = write_wait(writer, &wait, writer->interval);
            seq = wait.seq;
        }
    writer->waits_seq = seq;
    return good;
}

static void release_contents(struct writer *writer)
{
    for (size_t s = 0; s < writer->set_count; s++)
        free(writer->sets[s].rows);
    event_set_drop(writer->events);
    free(writer->sets);
    free(writer->session_row);
    free((char *)writer->facts.known_as);
    free(writer->uses);
    map_free(&writer->processes);
    map_free(&writer->tasks);
    map_free(&writer->containers);
    map_free(&writer->texts);
    for (size_t k = 0; k < TASK_KINDS; k++)
        pack_release(&writer->packs[k]);
    map_release(&writer->objects);
    map_release(&writer->functions);
    map_release(&writer->stacks);
    map_release(&writer->codes);
    code_book_drop(writer->book);
    free(writer->pending);
}

void writer_close(struct writer *writer)
{
    if (!writer)
        return;
    writer_commit(writer, NULL);
    if (writer->intervals && !writer->failed && !writer->uncommitted &&
        db_exec(writer->db, NULL, "BEGIN") == 0) {
        add_waits(writer);
        db_exec(writer->db, NULL, "COMMIT");
    }
    /* After a failure the program goes on: names are not waited for as long as at its end. */
    if (writer->lock >= 0)
        finish_profiles(writer, !writer->failed && !writer->part);
    release_contents(writer);
    /* Leaves one complete file, which needs no other files to be read. If the file was removed or
     * replaced, those beside the name may be another recorder's: SQLite would remove them. */
    bool there = writer->db && writer->lock >= 0 && leads_to(writer->db->name, writer->lock);
    if (there && writer->made && writer->intervals == 0) {
        remove_beside(writer->db->name);
        unlink(writer->db->name);
        there = false;
    }
    if (there)
        db_number(writer->db, "PRAGMA journal_mode = DELETE", 0);
    else if (writer->db)
        sqlite3_db_config(writer->db->handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    db_close(writer->db);
    file_close(writer->lock);
    free(writer);
}

void writer_wait(struct writer *writer, int ms)
{
    sqlite3_busy_timeout(writer->db->handle, ms);
}

uint64_t writer_intervals(const struct writer *writer)
{
    return writer->intervals;
}

struct db *writer_db(struct writer *writer)
{
    return writer->db;
}

struct event_set *writer_events(const struct writer *writer, int64_t *generation)
{
    *generation = writer->generation;
    return writer->events;
}

/* ---- rows ---- */

static bool add_cpu(struct writer *writer, sqlite3_stmt *add, const struct event_set *set, int cpu,
                    uint64_t busy, const struct counts *counts)
{
    int place = 4;
    for (size_t e = 0; e < set->count; e++)
        sqlite3_bind_int64(add, place++, (int64_t)counts->value[e]);
    for (size_t g = 0; g < set->groups; g++) {
        struct group_time time = counts->times[g];
        sqlite3_bind_int64(add, place++, (int64_t)time.enabled);
        db_bind(add, place++, time.running == time.enabled ? DB_NULL : (int64_t)time.running);
    }
    return db_run(add, (int64_t[]){++writer->cpu_row, cpu, (int64_t)busy}, 3);
}

static bool add_cpus(struct writer *writer, const struct snapshot *interval)
{
    const struct event_set *set = interval->events;
    AUTO_FREE char *counts = pack_count_columns(set->count, set->groups);
    sqlite3_stmt *add = db_insert(writer->db, "cpu_rows", "id, cpu, busy", counts);
    bool good = add != NULL;
    for (size_t c = 0; c < interval->cpu_count && good; c++)
        good = add_cpu(writer, add, set, interval->cpus[c].cpu, interval->cpus[c].busy,
                       &interval->cpus[c].counts);
    if (good && interval->has_cpus)
        good = add_cpu(writer, add, set, ROW_IDLE, 0, &interval->idle) &&
               add_cpu(writer, add, set, ROW_UNATTRIBUTED, 0, &interval->unattributed);
    return good;
}

/* Binds what the kernel tells to the parameters behind the keys of a row. */
static void bind_times(sqlite3_stmt *add, int keys, const struct kernel_times *times, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t time;
        bool known = kernel_times_get(times, i, &time);
        db_bind(add, keys + (int)i + 1, known ? (int64_t)time : DB_NULL);
    }
}

static bool add_loads(struct writer *writer, const struct snapshot *interval)
{
    AUTO_FREE char *times = schema_times(kernel_times_of_cpu, CPU_TIMES);
    sqlite3_stmt *add = db_insert(writer->db, "loads", "interval, cpu, again", times);
    struct cpu_load self = {.cpu = ROW_SELF};
    bool good = add != NULL;
    kernel_times_set(&self.kernel_times, CPU_BUSY, interval->self.cpu);
    kernel_times_set(&self.kernel_times, CPU_TIME, interval->self.time);
    for (size_t c = 0; c <= interval->load.count && good; c++) {
        const struct cpu_load *load = c ? &interval->load.cpus[c - 1] : &self;
        if (c && !(load->kernel_times.time[CPU_TIME] > 0))
            continue;
        bind_times(add, 3, &load->kernel_times, CPU_TIMES);
        good = db_run(add, (int64_t[]){writer->interval, load->cpu, load->again}, 3);
    }
    return good;
}

static bool add_cgroups(struct writer *writer, const struct machine_load *load)
{
    AUTO_FREE char *times = schema_times(kernel_times_of_cgroup, CGROUP_TIMES);
    sqlite3_stmt *add = db_insert(writer->db, "cgroup_loads", "interval, path", times);
    bool good = add != NULL;
    for (size_t i = 0; i < load->cgroup_count && good; i++) {
        bind_times(add, 2, &load->cgroups[i].kernel_times, CGROUP_TIMES);
        db_bind_text(add, 2, load->cgroups[i].path);
        good = db_run(add, (int64_t[]){writer->interval}, 1);
    }
    return good;
}

/* Those of processes that are or may be watched. */
static bool add_long_waits(struct writer *writer, const struct snapshot *interval,
                           const struct watch *watch)
{
    const struct long_waits *waits = interval->long_waits;
    const struct long_wait *wait;
    AUTO_MAP struct map watched = {0}; /* by pid */
    for (size_t t = 0; waits && !watch_all(watch) && t < interval->task_count; t++) {
        struct watched task = snapshot_watched(interval, &interval->tasks[t]);
        if (watch_may_have(watch, &task))
            map_put(&watched, (uint64_t)task.pid, &watched);
    }
    size_t left_out = waits && waits->count > LONG_WAITS_MAX ? waits->count - LONG_WAITS_MAX : 0;
    bool good = true;
    for (size_t i = 0; good && (wait = long_waits_get(waits, i)); i++)
        good = !(watch_all(watch) || map_get(&watched, (uint64_t)wait->pid)) ||
               db_put(writer->db, "INSERT INTO long_waits",
                      "%jd %ju %f %ju %ju %d %d %d %d %s %d %s %d %s", writer->interval,
                      (uint64_t)(left_out + i), wait->time, wait->length, wait->taken, wait->woken,
                      wait->interrupt, (int)wait->pid, (int)wait->task.id, wait->task.comm,
                      (int)wait->taker.id, wait->taker.comm, (int)wait->waker.id, wait->waker.comm);
    return good;
}

static int write_interval(struct writer *writer, const struct session *session,
                          const struct snapshot *interval, struct err *err)
{
    const struct machine_load *load = &interval->load;
    bool views;
    if (!add_waits(writer))
        return db_fail(writer->db, "record to", err);
    writer->interval++;
    int64_t task_first = writer->pack + 1, cpu_first = writer->cpu_row + 1;
    if (begin_facts(writer, session, interval->events, &views, err) < 0 ||
        (views && writer->lock >= 0 && schema_views(writer->db, err) < 0))
        return -1;
    bool good = write_tasks(writer, interval, &session->watch, writer->interval) &&
                add_cpus(writer, interval) && add_loads(writer, interval) &&
                add_cgroups(writer, load) && add_long_waits(writer, interval, &session->watch);
    const struct pressure_time *of = load->pressure.of;
    if (good && load->pressure.time > 0)
        good = db_put(writer->db,
                      "INSERT INTO pressures (interval, time, cpu_some, cpu_full, memory_some,"
                      " memory_full, io_some, io_full)",
                      "%jd %ju %ju %ju %ju %ju %ju %ju", writer->interval, load->pressure.time,
                      of[0].some, of[0].full, of[1].some, of[1].full, of[2].some, of[2].full);
    if (good && interval->profile)
        good = write_profile(writer, writer->interval, interval->profile);
    good =
        good && db_put(writer->db, "INSERT INTO intervals",
                       "%jd %jd %jd %jd %f %ju %jd %jd %jd %jd %ju %ju %ju %ju %ju %ju %ju",
                       writer->interval, writer->session, writer->set, writer->generation,
                       interval->wall, interval->time - interval->started, task_first, writer->pack,
                       cpu_first, writer->cpu_row, interval->lost_records, interval->throttled,
                       interval->denied_tasks, interval->starved_tasks, interval->self.cpu,
                       (uint64_t)interval->self.descriptors, interval->self.rss);
    if (!good)
        return db_fail(writer->db, "record to", err);
    writer->uncommitted = true;
    return 0;
}

int writer_take(struct writer *writer, const struct session *session,
                const struct snapshot *interval, struct err *err)
{
    if (interval->events->count > SCHEMA_EVENTS_MAX)
        return err_set(err, "cannot record to '%.200s': more than %d events", writer->db->name,
                       SCHEMA_EVENTS_MAX);
    if (interval->task_count > DB_MEMORY_MAX / 2 / schema_task_bytes(interval->events))
        return err_set(err,
                       "cannot record to '%.200s': an interval of %zu tasks takes too much "
                       "memory to be read: choose a shorter one with -d",
                       writer->db->name, interval->task_count);
    if (writer_check(writer, err) < 0)
        return -1;
    int result = writer_commit(writer, err)
                     ?: run_unlocked(writer, "BEGIN IMMEDIATE", err)
                     ?: write_interval(writer, session, interval, err);
    if (result == 0 && writer_commit(writer, err) < 0)
        result = -1;
    writer->failed = result < 0;
    if (writer->failed)
        db_exec(writer->db, NULL, "ROLLBACK");
    writer->intervals += result == 0;
    return result;
}

/* ---- memory ---- */

uint64_t writer_bytes(const struct writer *writer)
{
    return (uint64_t)db_number(writer->db,
                               "SELECT (page_count - freelist_count) * page_size FROM"
                               " pragma_page_count, pragma_freelist_count, pragma_page_size",
                               0);
}

/* Deletes what was counted before an interval. */
static int delete_before(struct db *db, int64_t keep, struct err *err)
{
    static const char *const tables[] = {"loads",      "pressures",   "cgroup_loads", "profiles",
                                         "wait_facts", "wait_takers", "waits_for",    "long_waits"};
    long long id = keep;
    int result = db_exec(
        db, err,
        "DELETE FROM task_packs WHERE id < (SELECT task_first FROM intervals WHERE id = %lld);"
        "DELETE FROM cpu_rows WHERE id < (SELECT cpu_first FROM intervals WHERE id = %lld);"
        "DELETE FROM profile_rows WHERE id <"
        " (SELECT min(first) FROM profiles WHERE interval >= %lld);"
        "DELETE FROM intervals WHERE id < %lld",
        id, id, id, id);
    for (size_t i = 0; i < sizeof(tables) / sizeof(*tables) && result == 0; i++)
        result = db_exec(db, err, "DELETE FROM %s WHERE interval < %lld", tables[i], id);
    return result;
}

/* Deletes the intervals before `keep`; SQLite reuses the free pages. sleepers: also the tasks that
 * did nothing in the kept intervals. */
static int forget_before(struct writer *writer, int64_t keep, bool sleepers, struct err *err)
{
    int result = db_exec(writer->db, err, "BEGIN")
                     ?: delete_before(writer->db, keep, err)
                     ?: forget_tasks(writer, keep, sleepers, err);
    if (result == 0 && sleepers) { /* names of functions are only ever added */
        forget_profiles(writer);
        result = db_exec(writer->db, err,
                         "DELETE FROM profile_rows; DELETE FROM profiles; DELETE FROM stacks;"
                         "DELETE FROM functions; DELETE FROM objects; DELETE FROM code;"
                         "DELETE FROM source_lines;");
    }
    return result < 0 ? -1 : db_exec(writer->db, err, "COMMIT");
}

int writer_trim(struct writer *writer, uint64_t bytes, struct err *err)
{
    /* If deleting intervals is not enough, sleeping tasks take the space. */
    for (bool sleepers = false; writer_bytes(writer) > bytes; sleepers = true) {
        /* The oldest sixteenth, so that this is done rarely. */
        int64_t first = db_number(writer->db, "SELECT min(id) FROM intervals", writer->interval);
        int64_t keep = first + (writer->interval - first) / 16 + 1;
        if (keep > writer->interval)
            return 0;
        if (forget_before(writer, keep, sleepers, err) < 0) {
            db_exec(writer->db, NULL, "ROLLBACK");
            return -1;
        }
    }
    return 0;
}

/* ---- the last seconds as a file ---- */

/* The first interval that is in part of the last seconds. */
static int64_t first_within(struct writer *writer, double seconds)
{
    AUTO_FREE char *sql =
        mem_printf("SELECT min(id) FROM (SELECT id, sum(length) OVER (ORDER BY id DESC)"
                   " - length AS later FROM intervals) WHERE later < %lld",
                   (long long)(seconds * 1e9));
    return db_number(writer->db, sql, writer->interval);
}

void writer_keep(struct writer *writer, double seconds)
{
    enum { RARELY = 16 };
    if (writer->interval % RARELY == 0 &&
        forget_before(writer, first_within(writer, seconds), false, NULL) < 0)
        db_exec(writer->db, NULL, "ROLLBACK");
}

/* Copies the database into a new file, without the intervals before `first`. Tasks that live are
 * written again when they appear again. path: what messages call it. */
static int copy_into(struct writer *from, const char *name, const char *path, int64_t first,
                     struct err *err)
{
    struct db *db = db_open(name, true, err);
    if (!db)
        return -1;
    free(db->name);
    db->name = mem_strdup(path);
    sqlite3_limit(db->handle, SQLITE_LIMIT_ATTACHED, 1); /* VACUUM needs it */
    sqlite3_backup *backup = sqlite3_backup_init(db->handle, "main", from->db->handle, "main");
    if (backup)
        sqlite3_backup_step(backup, -1);
    int result = sqlite3_backup_finish(backup) == SQLITE_OK ? 0 : db_fail(db, "record to", err);
    result = result
                 ?: delete_before(db, first, err)
                 ?: db_exec(db, err,
                            "UPDATE processes SET last = %lld WHERE last IS NULL;"
                            "UPDATE tasks SET last = %lld WHERE last IS NULL;"
                            "PRAGMA temp_store = MEMORY; VACUUM",
                            (long long)from->interval, (long long)from->interval)
                 ?: schema_views(db, err);
    db_close(db);
    return result;
}

/* The next interval continues the run, session and generation of another recording, whose copy this
 * is. Names that the other one still looks up are added to this one, too. */
static void continue_run(struct writer *writer, const struct writer *from)
{
    writer->run = from->run;
    writer->session = from->session;
    writer->session_row = mem_strdup(from->session_row);
    writer->set = from->set;
    writer->generation = from->generation;
    writer->events = mem_share(from->events);
    writer->sets = mem_array(from->set_count, sizeof(*writer->sets));
    writer->set_count = writer->set_room = from->set_count;
    for (size_t s = 0; s < from->set_count; s++)
        writer->sets[s] = (struct known_set){from->sets[s].id, mem_strdup(from->sets[s].rows)};
    writer->book = mem_share(from->book);
    writer->pending_count = from->pending_count;
    mem_grow(&writer->pending, &writer->pending_room, from->pending_count + 1,
             sizeof(*writer->pending));
    if (from->pending_count)
        memcpy(writer->pending, from->pending, from->pending_count * sizeof(*writer->pending));
}

struct writer *writer_copy(struct writer *from, const struct writer_options *options,
                           double seconds, struct err *err)
{
    AUTO_FREE char *name = mem_printf("%s.XXXXXX", options->path);
    int fd = mkostemp(name, O_CLOEXEC);
    int result =
        fd < 0 ? err_set(err, "cannot record to '%.200s': %s", options->path, err_reason(errno))
               : copy_into(from, name, options->path, first_within(from, seconds), err);
    if (result == 0 && rename(name, options->path) < 0)
        result = err_set(err, "cannot record to '%.200s': %s", options->path, err_reason(errno));
    if (result < 0)
        drop_new(name, fd);
    else
        close(fd);
    struct writer *writer = result < 0 ? NULL : writer_open(options, err);
    if (writer) {
        continue_run(writer, from);
        writer->part = true;
    }
    return writer;
}

void writer_alarm(struct writer *writer, const struct session_alarm *alarm)
{
    db_put(writer->db, "INSERT INTO alarms (condition, time, pid, tid, value)", "%s %f %d %d %f",
           alarm->condition, alarm->time, (int)alarm->pid, (int)alarm->tid, alarm->value);
}

double writer_seconds(struct writer *writer)
{
    return (double)db_number(writer->db, "SELECT sum(length) FROM intervals", 0) / 1e9;
}

bool writer_trimmed(struct writer *writer)
{
    return db_number(writer->db, "SELECT min(id) FROM intervals", 1) > 1;
}
