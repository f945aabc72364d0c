#include "record/write.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
static const uint64_t CGROUP_PERIOD = 1000000000; /* ns between two reads of a process's cgroup */

static const char END_PROCESS[] = "UPDATE processes SET last = ?2 WHERE id = ?1";
static const char END_TASK[] = "UPDATE tasks SET last = ?2 WHERE id = ?1";

struct known_task {
    struct known known;
    int64_t since; /* interval that had it first */
    int64_t process;
    pid_t tid;
    char comm[TASK_COMM_SIZE];
};

void write_meta_init(struct write_meta *meta, struct db *db, const struct writer_options *options)
{
    *meta = (struct write_meta){.db = db, .lookup = options->lookup, .facts = options->facts};
    meta->facts.known_as = meta->known_as = mem_strdup(options->facts.known_as);
    meta->last_process = db_number(db, "SELECT max(id) FROM processes", 0);
    meta->last_task = db_number(db, "SELECT max(id) FROM tasks", 0);
    meta->last_text = db_number(db, "SELECT max(id) FROM texts", 0);
}

void write_meta_release(struct write_meta *meta)
{
    for (size_t s = 0; s < meta->set_count; s++)
        event_set_drop(meta->sets[s].events);
    event_set_drop(meta->events);
    free(meta->sets);
    free(meta->session_values);
    free(meta->known_as);
    map_free(&meta->processes);
    map_free(&meta->tasks);
    map_free(&meta->texts);
}

/* ---- sessions ---- */

static char *list_numbers(const int *numbers, size_t count)
{
    struct str text = str_new();
    for (size_t i = 0; i < count; i++)
        str_printf(&text, "%s%d", i ? "," : "", numbers[i]);
    return str_detach(&text);
}

static int write_run(struct write_meta *meta, const struct session *session, struct err *err)
{
    const struct run_facts *facts = &meta->facts;
    AUTO_FREE char *cpus = list_numbers(session->cpus.cpus, session->cpus.count);
    int result =
        db_exec(meta->db, err,
                "INSERT INTO runs VALUES (NULL, %Q, %!.17g, %Q, %Q, %Q, %Q, %!.17g, %Q, %Q,"
                " %Q, %Q)",
                facts->version, clock_wall(), session->host, session->kernel, session->cpu_model,
                facts->known_as, facts->ghz_nominal, cpus, session->engine, session->engine_reason,
                session->command);
    meta->run = sqlite3_last_insert_rowid(meta->db->handle);
    meta->generation = db_number(meta->db, "SELECT max(generation) FROM intervals", 0);
    return result;
}

static int write_session(struct write_meta *meta, const struct session *session, struct err *err)
{
    const struct watch *watch = &session->watch;
    AUTO_FREE char *threads = list_numbers(watch->tids, watch->tid_count);
    AUTO_STR struct str processes = str_new(), users = str_new();
    for (size_t i = 0; i < watch->pid_count; i++)
        str_printf(&processes, "%s%d", processes.length ? "," : "", (int)watch->pids[i]);
    for (size_t i = 0; i < watch->name_count; i++)
        str_printf(&processes, "%s%s", processes.length ? "," : "", watch->names[i]);
    for (size_t i = 0; i < watch->user_count; i++)
        str_printf(&users, "%s%u", i ? "," : "", (unsigned)watch->users[i]);
    char *values =
        sqlite3_mprintf("%lld, %d, %!.17g, %Q, %Q, %lld, %Q, %Q, %Q, %Q, %d", (long long)meta->run,
                        (int)session->mode, session->delay, session->notice, session->faults,
                        (long long)session->counters, processes.text, threads, users.text,
                        watch->cgroup, (int)watch->command);
    int result = 0;
    if (!values)
        mem_abort();
    if (!str_equal(meta->session_values, values)) {
        result = db_exec(meta->db, err, "INSERT INTO sessions VALUES (NULL, %s)", values);
        meta->session = sqlite3_last_insert_rowid(meta->db->handle);
        free(meta->session_values);
        meta->session_values = mem_strdup(values);
    }
    sqlite3_free(values);
    return result;
}

/* ---- events ---- */

static bool same_set(const struct event_set *a, const struct event_set *b)
{
    bool same = a->count == b->count && a->groups == b->groups && str_equal(a->note, b->note);
    for (size_t e = 0; e < a->count && same; e++) {
        const struct event_info *x = &a->events[e], *y = &b->events[e];
        same = str_equal(x->name, y->name) && str_equal(x->pmu, y->pmu) &&
               str_equal(x->unit, y->unit) && x->scale == y->scale && x->shared == y->shared &&
               x->kept == y->kept && str_equal(x->encoding, y->encoding) && x->state == y->state &&
               str_equal(x->reason, y->reason) && x->group == y->group &&
               x->hardware == y->hardware;
    }
    return same;
}

static int write_set(struct write_meta *meta, const struct event_set *set, struct err *err)
{
    if (db_exec(meta->db, err, "INSERT INTO event_sets VALUES (NULL, %lld, %Q)",
                (long long)set->groups, set->note) < 0)
        return -1;
    meta->set = sqlite3_last_insert_rowid(meta->db->handle);
    for (size_t e = 0; e < set->count; e++) {
        const struct event_info *event = &set->events[e];
        if (db_exec(meta->db, err,
                    "INSERT INTO events VALUES (%lld, %lld, %Q, %Q, %Q, %!.17g, %d, %Q, %d, %Q, %d,"
                    " %d)",
                    (long long)meta->set, (long long)e, event->name, event->pmu, event->unit,
                    event->scale, event->shared | (int)event->kept << 1, event->encoding,
                    (int)event->state, event->reason, event->group, event->hardware) < 0)
            return -1;
    }
    return schema_extend(meta->db, set->count, set->groups, err);
}

int write_meta_begin(struct write_meta *meta, const struct session *session,
                     struct event_set *events, bool *views, struct err *err)
{
    *views = false;
    if ((!meta->run && write_run(meta, session, err) < 0) || write_session(meta, session, err) < 0)
        return -1;
    if (events == meta->events)
        return 0;
    /* The reference keeps the address of the last set from being used again for another one. */
    event_set_drop(meta->events);
    meta->events = event_set_share(events);
    meta->generation++;
    for (size_t s = 0; s < meta->set_count; s++)
        if (same_set(meta->sets[s].events, events)) {
            meta->set = meta->sets[s].id;
            return 0;
        }
    if (write_set(meta, events, err) < 0)
        return -1;
    mem_grow(&meta->sets, &meta->set_room, meta->set_count + 1, sizeof(*meta->sets));
    meta->sets[meta->set_count++] = (struct known_set){meta->set, event_set_share(events)};
    *views = true;
    return 0;
}

void write_meta_continue(struct write_meta *meta, const struct write_meta *from)
{
    meta->run = from->run;
    meta->session = from->session;
    meta->session_values = mem_strdup(from->session_values);
    meta->set = from->set;
    meta->generation = from->generation;
    meta->events = event_set_share(from->events);
    meta->sets = mem_array(from->set_count, sizeof(*meta->sets));
    meta->set_count = meta->set_room = from->set_count;
    for (size_t s = 0; s < from->set_count; s++)
        meta->sets[s] = (struct known_set){from->sets[s].id, event_set_share(from->sets[s].events)};
}

/* ---- tasks ---- */

/* Reads a process's cgroup, which changes while it runs, unless the interval tells it; false if it
 * is not known. */
static bool ask_cgroup(const struct write_meta *meta, struct known_process *known,
                       const struct process_info *process, const char *told, char path[PATH_SIZE])
{
    const struct writer_lookup *lookup = &meta->lookup;
    known->asked = clock_monotonic();
    if (meta->tells_cgroups)
        snprintf(path, PATH_SIZE, "%s", told ? told : "");
    if (meta->tells_cgroups ? !told
                            : process->exited || !lookup->cgroup ||
                                  !lookup->cgroup(lookup->ctx, process->pid, path, PATH_SIZE))
        return false;
    known->cgroup = str_hash(path);
    return true;
}

static bool has_moved(const struct write_meta *meta, struct known_process *known,
                      const struct process_info *process, const char *told)
{
    char path[PATH_SIZE];
    uint64_t before = known->cgroup;
    return (meta->tells_cgroups || clock_monotonic() - known->asked >= CGROUP_PERIOD) &&
           ask_cgroup(meta, known, process, told, path) && known->cgroup != before;
}

int64_t write_meta_process(struct write_meta *meta, const struct process_info *process, bool ran,
                           const char *cgroup, int64_t interval)
{
    const struct writer_lookup *lookup = &meta->lookup;
    struct known_process *known = map_get(&meta->processes, process->id);
    if (!known) {
        known = mem_alloc(sizeof(*known));
        map_put(&meta->processes, process->id, known);
    }
    const struct process_info *old = &known->info;
    bool same = known->known.key && old->pid == process->pid && old->ppid == process->ppid &&
                old->uid == process->uid && old->command == process->command &&
                strcmp(old->comm, process->comm) == 0 &&
                !(ran && has_moved(meta, known, process, cgroup));
    bool good = true;
    if (known->known.key && (!same || process->exited))
        good = db_put(meta->db, END_PROCESS, "%jd %jd", known->known.key,
                      same ? interval : interval - 1);
    if (!same) {
        char path[PATH_SIZE];
        bool named = process->uid != (uid_t)-1;
        char *line =
            process->exited || !lookup->cmdline ? NULL : lookup->cmdline(lookup->ctx, process->pid);
        if (line && strlen(line) > SCHEMA_TEXT_MAX)
            line[SCHEMA_TEXT_MAX] = '\0';
        bool has_path = ask_cgroup(meta, known, process, cgroup, path);
        bool done =
            db_put(meta->db,
                   "INSERT INTO processes (id, ident, pid, ppid, uid, command, last, user, comm,"
                   " cmdline, cgroup)",
                   "%jd %ju %d %d %jd %d %jd %s %s %s %s", ++meta->last_process, process->id,
                   (int)process->pid, (int)process->ppid, named ? (int64_t)process->uid : DB_NULL,
                   process->command, process->exited ? interval : DB_NULL,
                   named && lookup->user ? lookup->user(lookup->ctx, process->uid) : NULL,
                   process->comm, line, has_path ? path : NULL);
        free(line);
        known->known = (struct known){process->id, done ? meta->last_process : 0, interval};
        known->info = *process;
    }
    known->known.last = interval;
    int64_t key = good ? known->known.key : 0;
    if (process->exited)
        free(map_remove(&meta->processes, process->id));
    return key;
}

bool write_meta_is_brief(struct write_meta *meta, const struct task_sample *task, bool active,
                         int64_t interval)
{
    struct known_task *known = map_get(&meta->tasks, task->id);
    if (task->exited && (!known || !known->known.key)) {
        free(map_remove(&meta->tasks, task->id));
        return true;
    }
    if (known ? known->known.key || interval - known->since >= BRIEF_INTERVALS : !active)
        return false;
    if (!known) {
        known = mem_alloc(sizeof(*known));
        known->known.id = task->id;
        known->since = interval;
        map_put(&meta->tasks, task->id, known);
    }
    known->known.last = interval;
    return true;
}

int64_t write_meta_task(struct write_meta *meta, const struct task_sample *task, int64_t process,
                        int64_t interval)
{
    struct known_task *known = map_get(&meta->tasks, task->id);
    bool written = known && known->known.key;
    bool same = written && known->process == process && known->tid == task->tid &&
                strcmp(known->comm, task->comm) == 0;
    bool good = true;
    if (written && (!same || task->exited))
        good =
            db_put(meta->db, END_TASK, "%jd %jd", known->known.key, same ? interval : interval - 1);
    if (!known) {
        known = mem_alloc(sizeof(*known));
        map_put(&meta->tasks, task->id, known);
    }
    if (!same) {
        bool done = db_put(meta->db, "INSERT INTO tasks", "%jd %jd %ju %jd %d %s %jd %jd",
                           ++meta->last_task, meta->run, task->id, process, (int)task->tid,
                           task->comm, interval, task->exited ? interval : DB_NULL);
        known->known = (struct known){task->id, done ? meta->last_task : 0, interval};
        known->process = process;
        known->tid = task->tid;
        memcpy(known->comm, task->comm, sizeof(known->comm));
    }
    known->known.last = interval;
    int64_t key = good ? known->known.key : 0;
    if (task->exited)
        free(map_remove(&meta->tasks, task->id));
    return key;
}

struct known_text {
    int64_t key;
    char text[];
};

int64_t write_meta_text(struct write_meta *meta, const char *text, int64_t interval)
{
    uint64_t hash = str_hash(text);
    struct known_text *known = map_get(&meta->texts, hash);
    if (known && known->key > meta->last_text - TEXTS_BACK && strcmp(known->text, text) == 0)
        return known->key;
    if (meta->texts.count >= TEXTS_BACK)
        map_free(&meta->texts);
    known = mem_alloc(sizeof(*known) + strlen(text) + 1);
    strcpy(known->text, text);
    known->key = ++meta->last_text;
    free(map_put(&meta->texts, hash, known));
    return db_put(meta->db, "INSERT INTO texts", "%jd %jd %s", known->key, interval, known->text)
               ? known->key
               : 0;
}

/* Ends what was not in that interval or later ones; the map keeps the others. */
static bool forget_sleepers(struct map *map, int64_t interval, struct db *db, const char *end)
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
            good &= db_put(db, end, "%jd %jd", known->key, known->last);
        free(known);
    }
    map_release(map);
    *map = kept;
    return good;
}

int write_meta_forget(struct write_meta *meta, int64_t interval, bool all, struct err *err)
{
    if (all && !(forget_sleepers(&meta->tasks, interval, meta->db, END_TASK) &&
                 forget_sleepers(&meta->processes, interval, meta->db, END_PROCESS)))
        return db_fail(meta->db, "record to", err);
    return db_exec(meta->db, err,
                   "DELETE FROM tasks WHERE last < %lld; DELETE FROM processes WHERE last < %lld;"
                   "DELETE FROM texts WHERE id <="
                   " (SELECT max(id) FROM texts WHERE interval < %lld) - %d",
                   (long long)interval, (long long)interval, (long long)interval, TEXTS_BACK);
}
