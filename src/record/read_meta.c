#include "record/read.h"
#include "base/mem.h"
#include "base/str.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { REMEMBERED_MAX = 32 << 20 }; /* bytes */

/* Cuts a text that is too long, and makes it harmless on a terminal (str_clean()). */
static char *clean(char *text, bool lines)
{
    if (text && strlen(text) > SCHEMA_TEXT_MAX)
        text[SCHEMA_TEXT_MAX] = '\0';
    if (text)
        str_clean(text, lines);
    return text;
}

/* A text of a statement, made harmless on a terminal; NULL if there is none. */
static char *read_meta_text(sqlite3_stmt *statement, int column)
{
    return clean(db_text(statement, column), false);
}

/* ---- sessions ---- */

static int fill_session(struct read_meta *meta, sqlite3_stmt *row)
{
    enum { DELAY_MAX = 1000000 }; /* s */
    struct session *session = &meta->session;
    struct watch *watch = &session->watch;
    char *cpus, *processes, *threads, *users, *word;
    int mode, command;
    int64_t counters;
    double ghz;
    unsigned long long uid;
    db_columns(row, 0,
               "%d %lf %ms %ms %ms %ms %ms %d %ms %ms %ms %ms %lf %ms %ms %ms %ms %ms %jd %ms %jd",
               &mode, &session->delay, &session->notice, &processes, &threads, &users,
               &watch->cgroup, &command, &session->host, &session->kernel, &session->cpu_model,
               &meta->known_as, &ghz, &cpus, &session->engine, &session->engine_reason,
               &session->command, &meta->version, &meta->run, &session->faults, &counters);
    char **const texts[] = {&session->notice,
                            &processes,
                            &threads,
                            &users,
                            &session->host,
                            &session->kernel,
                            &session->cpu_model,
                            &meta->known_as,
                            &cpus,
                            &session->engine,
                            &session->faults,
                            &session->engine_reason,
                            &meta->version}; /* never NULL */
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        bool lines = texts[i] == &meta->known_as || texts[i] == &session->faults;
        *texts[i] = clean(*texts[i] ? *texts[i] : mem_strdup(""), lines);
    }
    clean(watch->cgroup, false);
    clean(session->command, false);
    session->mode = (enum count_mode)mode;
    watch->command = command;
    watch_add_processes(watch, processes, NULL); /* an empty list adds nothing */
    watch_add_threads(watch, threads, NULL);
    for (char *rest = users; (word = strsep(&rest, ","));)
        if (str_to_u64(word, 0, (uid_t)-1, &uid))
            watch_add_user(watch, (uid_t)uid);
    session->counters = counters > 0 && counters < SCHEMA_EVENTS_MAX ? (size_t)counters : 0;
    meta->facts = (struct run_facts){meta->version, meta->known_as, isfinite(ghz) ? ghz : 0};
    bool good = mode >= MODE_ALL && mode <= MODE_KERNEL && session->delay >= 0 &&
                session->delay <= DELAY_MAX && cpulist_parse(&session->cpus, cpus, NULL) == 0;
    free(cpus);
    free(processes);
    free(threads);
    free(users);
    return good ? 0 : -1;
}

static void release_session(struct read_meta *meta)
{
    session_release(&meta->session);
    free(meta->version);
    free(meta->known_as);
    meta->version = meta->known_as = NULL;
    meta->session_id = 0;
}

/* A recording without that table is of no alarm. */
static void read_alarm(struct read_meta *meta, struct session_alarm *alarm)
{
    sqlite3_stmt *query = db_statement(
        meta->db, "SELECT condition, time, pid, tid, value FROM alarms ORDER BY id LIMIT 1");
    if (sqlite3_step(query) == SQLITE_ROW) {
        db_columns(query, 0, "%ms %lf %d %d %lf", &alarm->condition, &alarm->time, &alarm->pid,
                   &alarm->tid, &alarm->value);
        clean(alarm->condition, false);
        if (sqlite3_column_type(query, 4) != SQLITE_FLOAT)
            alarm->value = NAN;
    }
    sqlite3_reset(query);
}

int read_meta_session(struct read_meta *meta, int64_t session)
{
    if (meta->session_id == session && session)
        return 0;
    release_session(meta);
    sqlite3_stmt *query = db_query(
        meta->db,
        "SELECT s.mode, s.delay, s.notice, s.processes, s.threads, s.users, s.cgroup, s.child,"
        " r.host, r.kernel, r.cpu_model, r.known_as, r.ghz_nominal, r.cpus, r.engine,"
        " r.engine_reason, r.command, r.version, r.id, s.faults, s.counters"
        " FROM sessions s, runs r WHERE s.id = ?1 AND r.id = s.run",
        session);
    int result = sqlite3_step(query) == SQLITE_ROW ? fill_session(meta, query) : -1;
    sqlite3_reset(query);
    if (result == 0) {
        read_alarm(meta, &meta->session.alarm);
        meta->session_id = session;
    }
    return result;
}

/* ---- events ---- */

static int fill_event(struct read_meta *meta, struct event_info *event, sqlite3_stmt *row,
                      size_t groups)
{
    int shared, state, hardware; /* shared: as write_meta.c, write_set() */
    int64_t group;
    db_columns(row, 1, "%ms %ms %ms %lf %d %ms %d %ms %jd %d", &event->name, &event->pmu,
               &event->unit, &event->scale, &shared, &event->encoding, &state, &event->reason,
               &group, &hardware);
    char *const texts[] = {event->name, event->pmu, event->unit, event->encoding, event->reason};
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
        clean(texts[i], false);
    if (!event->unit)
        event->unit = mem_strdup("");
    event->shared = shared != 0;
    event->hardware = hardware != 0;
    db_take(meta->db, DB_INTERVAL, row, sizeof(*event));
    if (!event->name || !*event->name || !isfinite(event->scale) || state < EVENT_COUNTED ||
        state > EVENT_INVALID || shared < 0 || shared >> 1 >= SCHEDULER_EVENTS || group < -1 ||
        group >= (int64_t)groups)
        return -1;
    event->kept = (enum scheduler_event)(shared >> 1);
    event->state = (enum event_state)state;
    event->group = (int)group;
    if (event->state != EVENT_COUNTED && !event->reason)
        event->reason = mem_strdup("");
    return 0;
}

/* NULL if it is missing or invalid. */
static struct event_set *read_set(struct read_meta *meta, int64_t set)
{
    int64_t groups = -1, count = -1;
    struct event_set *events = NULL;
    sqlite3_stmt *query =
        db_query(meta->db,
                 "SELECT groups, note, (SELECT count(*) FROM events WHERE event_set = ?1)"
                 " FROM event_sets WHERE id = ?1",
                 set);
    if (sqlite3_step(query) == SQLITE_ROW) {
        groups = sqlite3_column_int64(query, 0);
        count = sqlite3_column_int64(query, 2);
    }
    if (groups >= 0 && groups <= SCHEMA_EVENTS_MAX && count >= 0 && count <= SCHEMA_EVENTS_MAX) {
        events = event_set_new((size_t)count);
        events->groups = (size_t)groups;
        events->note = read_meta_text(query, 1);
    }
    sqlite3_reset(query);
    if (!events)
        return NULL;
    query = db_query(meta->db,
                     "SELECT position, name, pmu, unit, scale, shared, encoding, state, reason,"
                     " perf_group, hardware FROM events WHERE event_set = ?1 ORDER BY position",
                     set);
    bool good = true;
    for (size_t e = 0; e < events->count && good; e++)
        good = sqlite3_step(query) == SQLITE_ROW && sqlite3_column_int64(query, 0) == (int64_t)e &&
               fill_event(meta, &events->events[e], query, events->groups) == 0;
    sqlite3_reset(query);
    if (good)
        return events;
    event_set_drop(events);
    return NULL;
}

int read_meta_events(struct read_meta *meta, int64_t set, int64_t generation)
{
    if (meta->events && meta->set == set && meta->generation == generation)
        return 0;
    bool known = meta->known && meta->known_generation == generation;
    struct event_set *events = known ? event_set_share(meta->known) : read_set(meta, set);
    if (!events)
        return -1;
    event_set_drop(meta->events);
    meta->events = events;
    meta->set = set;
    meta->generation = generation;
    return 0;
}

/* ---- tasks ---- */

static void read_meta_forget(struct read_meta *meta)
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
static void read_meta_remember(struct read_meta *meta, sqlite3_stmt *row, size_t bytes)
{
    uint64_t *taken = &meta->db->taken[DB_INTERVAL], before = *taken;
    db_take(meta->db, DB_INTERVAL, row, bytes + 4 * sizeof(void *));
    meta->remembered += *taken - before;
}

void read_meta_begin(struct read_meta *meta)
{
    struct recorded_task *task;
    struct recorded_process *process;
    meta->db->taken[DB_INTERVAL] = 0;
    if (meta->remembered > REMEMBERED_MAX)
        read_meta_forget(meta);
    for (size_t at = 0; (task = map_next(&meta->tasks, &at));)
        task->listed = false;
    for (size_t at = 0; (process = map_next(&meta->processes, &at));)
        process->place = 0;
    map_clear(&meta->present);
    map_clear(&meta->cgroups);
    meta->tells_cgroups = false;
}

static void read_meta_copy_comm(char comm[TASK_COMM_SIZE], sqlite3_stmt *row, int column)
{
    const char *text = (const char *)sqlite3_column_text(row, column);
    strncpy(comm, text ? text : "", TASK_COMM_SIZE - 1);
}

/* Ids start at 1 with each run (sample/snapshot.h), so the run is added in the high bits, which
 * keeps their order. Ids of the first run stay unchanged: when looking back while counting, rows
 * have the same ids as now. */
uint64_t read_meta_id_of(int64_t run, int64_t ident)
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

struct recorded_process *read_meta_process(struct read_meta *meta, int64_t key, int64_t run)
{
    struct recorded_process *process = map_get(&meta->processes, (uint64_t)key);
    if (process)
        return process;
    sqlite3_stmt *row = db_query(meta->db,
                                 "SELECT ident, pid, ppid, uid, comm, command, user, cmdline,"
                                 " cgroup FROM processes WHERE id = ?1",
                                 key);
    if (sqlite3_step(row) == SQLITE_ROW && is_id(row, 1) && is_id(row, 2)) {
        bool known = sqlite3_column_type(row, 3) == SQLITE_INTEGER;
        process = mem_alloc(sizeof(*process));
        process->info = (struct process_info){
            .id = read_meta_id_of(run, sqlite3_column_int64(row, 0)),
            .pid = sqlite3_column_int(row, 1),
            .ppid = sqlite3_column_int(row, 2),
            .uid = known ? (uid_t)sqlite3_column_int64(row, 3) : (uid_t)-1,
            .command = sqlite3_column_int(row, 5) != 0,
        };
        read_meta_copy_comm(process->info.comm, row, 4);
        process->user = read_meta_text(row, 6);
        process->cmdline = read_meta_text(row, 7);
        process->cgroup = read_meta_text(row, 8);
        if (known && process->user)
            map_put(&meta->users, (uint64_t)process->info.uid + 1, process->user);
        map_put(&meta->processes, (uint64_t)key, process);
        read_meta_remember(meta, row, sizeof(*process));
    }
    sqlite3_reset(row);
    return process;
}

struct recorded_task *read_meta_task(struct read_meta *meta, int64_t key)
{
    struct recorded_task *task = map_get(&meta->tasks, (uint64_t)key);
    if (task)
        return task;
    sqlite3_stmt *find =
        db_query(meta->db, "SELECT run, ident, process, tid, comm FROM tasks WHERE id = ?1", key);
    if (sqlite3_step(find) == SQLITE_ROW && is_id(find, 3)) {
        int64_t run = sqlite3_column_int64(find, 0);
        struct recorded_process *process =
            read_meta_process(meta, sqlite3_column_int64(find, 2), run);
        if (process) {
            task = mem_alloc(sizeof(*task));
            task->process = process;
            task->id = read_meta_id_of(run, sqlite3_column_int64(find, 1));
            task->tid = sqlite3_column_int(find, 3);
            read_meta_copy_comm(task->comm, find, 4);
            map_put(&meta->tasks, (uint64_t)key, task);
            read_meta_remember(meta, find, sizeof(*task));
        }
    }
    sqlite3_reset(find);
    return task;
}

char *read_meta_word(struct read_meta *meta, int64_t key)
{
    char *text = map_get(&meta->texts, (uint64_t)key);
    if (text)
        return text;
    sqlite3_stmt *find = db_query(meta->db, "SELECT text FROM texts WHERE id = ?1", key);
    if (sqlite3_step(find) == SQLITE_ROW && (text = db_text(find, 0))) {
        map_put(&meta->texts, (uint64_t)key, text);
        read_meta_remember(meta, find, 0);
    }
    sqlite3_reset(find);
    return text;
}

const char *read_meta_user(struct read_meta *meta, int64_t key)
{
    return clean(read_meta_word(meta, key), false);
}

void read_meta_release(struct read_meta *meta)
{
    release_session(meta);
    event_set_drop(meta->events);
    event_set_drop(meta->known);
    read_meta_forget(meta);
    pack_release(&meta->pack);
}
