#include "record/reader.h"
#include "base/mem.h"
#include "base/str.h"
#include "record/read.h"

#include <stdlib.h>
#include <string.h>

struct reader {
    struct db *db;
    bool owned;
    struct read_meta meta;
    struct read_profile profiles;
    int64_t interval; /* read last */
    char *container;  /* the name given last */
    unsigned steps;   /* of the current query, in units of STEPS */
};

/* Steps of SQLite's machine, more than any interval needs: a damaged file can contain a loop. */
enum { STEPS = 100000, STEPS_MAX = 10000 };

static int count_steps(void *ctx)
{
    struct reader *reader = ctx;
    return ++reader->steps > STEPS_MAX;
}

/* ---- opening ---- */

/* An authorizer that lets statements only read tables that were checked. */
static int authorize(void *ctx, int action, const char *first, const char *second,
                     const char *database, const char *inner)
{
    (void)ctx, (void)database, (void)inner;
    bool good = action == SQLITE_SELECT ||
                (action == SQLITE_FUNCTION && str_equal(second, "count")) ||
                (action == SQLITE_READ && schema_has_table(first));
    return good ? SQLITE_OK : SQLITE_DENY;
}

struct reader *reader_of(struct db *db)
{
    struct reader *reader = mem_alloc(sizeof(*reader));
    reader->db = reader->meta.db = reader->profiles.db = db;
    return reader;
}

void reader_know(struct reader *reader, struct event_set *events, int64_t generation)
{
    struct read_meta *meta = &reader->meta;
    if (meta->known == events)
        return;
    event_set_drop(meta->known);
    meta->known = events ? event_set_share(events) : NULL;
    meta->known_generation = generation;
}

struct reader *reader_take(struct db *db, struct err *err)
{
    struct reader *reader = NULL;
    int64_t first, last;
    sqlite3_db_config(db->handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    sqlite3_drop_modules(db->handle, NULL); /* no virtual table can be used */
    if (schema_check(db, "read", err) == 0) {
        sqlite3_set_authorizer(db->handle, authorize, NULL);
        reader = reader_of(db);
    }
    if (!reader) {
        db_close(db);
        return NULL;
    }
    reader->owned = true;
    sqlite3_progress_handler(db->handle, STEPS, count_steps, reader);
    int result = reader_span(reader, &first, &last, err);
    if (first <= last)
        return reader;
    if (result == 0)
        err_set(err, "cannot read '%.200s': it is a recording without an interval", db->name);
    reader_close(reader);
    return NULL;
}

struct reader *reader_open(const char *path, struct err *err)
{
    struct db *db = db_open(path, false, err);
    return db ? reader_take(db, err) : NULL;
}

void reader_close(struct reader *reader)
{
    if (!reader)
        return;
    read_tasks_release(&reader->meta);
    read_meta_release(&reader->meta);
    read_profile_release(&reader->profiles);
    if (reader->owned)
        db_close(reader->db);
    free(reader->container);
    free(reader);
}

/* ---- finding intervals ---- */

/* Whether seconds since 1970 are a time that clocks can show: before the year 5138. */
static bool is_time(double seconds)
{
    static const double TIME_MAX = 1e11;
    return seconds >= 0 && seconds < TIME_MAX;
}

int reader_span(struct reader *reader, int64_t *first, int64_t *last, struct err *err)
{
    reader->steps = 0;
    sqlite3_stmt *row =
        db_statement(reader->db, "SELECT (SELECT id FROM intervals ORDER BY id LIMIT 1),"
                                 " (SELECT id FROM intervals ORDER BY id DESC LIMIT 1)");
    int result = sqlite3_step(row) == SQLITE_ROW ? 0 : db_fail(reader->db, "read", err);
    *first = result == 0 ? sqlite3_column_int64(row, 0) : 0; /* 0, too, if there is no interval */
    *last = result == 0 ? sqlite3_column_int64(row, 1) : 0;
    sqlite3_reset(row);
    if (*first >= 1 && *last < INT64_MAX / 2)
        return result;
    *first = 1;
    *last = 0;
    return result;
}

int64_t reader_begin(struct reader *reader, int64_t interval)
{
    reader->steps = 0;
    sqlite3_stmt *row = db_query(reader->db,
                                 "SELECT id FROM intervals WHERE generation ="
                                 " (SELECT generation FROM intervals WHERE id = ?1) LIMIT 1",
                                 interval);
    int64_t first = sqlite3_step(row) == SQLITE_ROW ? sqlite3_column_int64(row, 0) : 0;
    sqlite3_reset(row);
    return first;
}

bool reader_time(struct reader *reader, int64_t interval, double *time)
{
    reader->steps = 0;
    sqlite3_stmt *row = db_query(reader->db, "SELECT time FROM intervals WHERE id = ?1", interval);
    bool found = sqlite3_step(row) == SQLITE_ROW;
    if (found)
        *time = sqlite3_column_double(row, 0);
    sqlite3_reset(row);
    return found && is_time(*time);
}

/* ---- rows ---- */

/* The ids of an interval's rows. */
struct row_span {
    int64_t first, last;
};

/* Reads counts from the columns behind cpu and busy. */
static void read_counts(const struct event_set *set, sqlite3_stmt *row, struct counts *counts)
{
    int column = 3;
    for (size_t e = 0; e < set->count; e++)
        counts->value[e] = (uint64_t)sqlite3_column_int64(row, column++);
    for (size_t g = 0; g < set->groups; g++, column += 2) {
        uint64_t enabled = (uint64_t)sqlite3_column_int64(row, column);
        bool whole = sqlite3_column_type(row, column + 1) == SQLITE_NULL;
        counts->times[g] = (struct group_time){
            enabled, whole ? enabled : (uint64_t)sqlite3_column_int64(row, column + 1)};
    }
}

static bool read_cpu(struct read_meta *meta, struct snapshot *s, sqlite3_stmt *row)
{
    const struct event_set *set = meta->events;
    int64_t cpu = sqlite3_column_int64(row, 1);
    if (cpu < ROW_UNATTRIBUTED || cpu > SCHEMA_CPUS_MAX)
        return false;
    if (cpu < 0) {
        s->has_cpus = true;
        read_counts(set, row, cpu == ROW_IDLE ? &s->idle : &s->unattributed);
        return true;
    }
    struct cpu_sample *sample = snapshot_add_cpu(s);
    sample->cpu = (int)cpu;
    sample->busy = (uint64_t)sqlite3_column_int64(row, 2);
    read_counts(set, row, &sample->counts);
    return s->cpu_count <= SCHEMA_CPUS_MAX &&
           db_take(meta->db, DB_INTERVAL, NULL, sizeof(*sample) + counts_size(set));
}

/* Reads rows of a table: these columns, behind their id. Requires ascending rows: so a damaged tree
 * with a loop ends early. */
static bool read_rows(struct reader *reader, struct snapshot *s, const char *table,
                      const char *columns, struct row_span span,
                      bool (*read)(struct read_meta *meta, struct snapshot *s, sqlite3_stmt *row))
{
    AUTO_FREE char *sql =
        mem_printf("SELECT id, %s FROM %s WHERE id BETWEEN ?1 AND ?2 ORDER BY id", columns, table);
    sqlite3_stmt *find = db_made(reader->db, sql);
    int64_t before = span.first - 1;
    bool good = true;
    sqlite3_bind_int64(find, 1, span.first);
    sqlite3_bind_int64(find, 2, span.last);
    while (db_next(find, &good)) {
        int64_t id = sqlite3_column_int64(find, 0);
        good = id > before && id <= span.last && read(&reader->meta, s, find) &&
               !db_excess(reader->db);
        before = id;
    }
    return good;
}

static bool read_cpus(struct reader *reader, struct snapshot *s, struct row_span span)
{
    AUTO_FREE char *counts = pack_count_columns(s->events->count, s->events->groups);
    AUTO_FREE char *columns = mem_printf("cpu, busy%s", counts);
    return read_rows(reader, s, "cpu_rows", columns, span, read_cpu);
}

static bool read_tasks(struct reader *reader, struct snapshot *s, struct row_span span)
{
    bool old = !db_statement(reader->db, "SELECT cgroup FROM task_packs");
    AUTO_FREE char *columns = pack_columns(s->events->count, s->events->groups, old);
    return read_rows(reader, s, "task_packs", columns, span, read_tasks_pack);
}

/* ---- intervals ---- */

/* The snapshot without rows; NULL if the interval is missing or invalid. */
static struct snapshot *read_head(struct reader *reader, int64_t interval, struct row_span *tasks,
                                  struct row_span *cpus)
{
    sqlite3_stmt *find =
        db_query(reader->db,
                 "SELECT session, event_set, generation, time, length, task_first, task_last,"
                 " cpu_first, cpu_last, lost_records, throttled, denied_tasks, starved_tasks,"
                 " self_cpu, self_descriptors, self_rss FROM intervals WHERE id = ?1",
                 interval);
    struct snapshot *s = NULL;
    if (sqlite3_step(find) == SQLITE_ROW) {
        double wall = sqlite3_column_double(find, 3);
        bool good = is_time(wall) && sqlite3_column_int64(find, 4) >= 0 &&
                    read_meta_session(&reader->meta, sqlite3_column_int64(find, 0)) == 0 &&
                    read_meta_events(&reader->meta, sqlite3_column_int64(find, 1),
                                     sqlite3_column_int64(find, 2)) == 0;
        s = good ? snapshot_new(reader->meta.events) : NULL;
    }
    if (s) {
        db_columns(find, 2, "%ju %lf %ju %jd %jd %jd %jd %ju %ju %ju %ju %ju %zu %ju",
                   &s->generation, &s->wall, &s->time, &tasks->first, &tasks->last, &cpus->first,
                   &cpus->last, &s->lost_records, &s->throttled, &s->denied_tasks,
                   &s->starved_tasks, &s->self.cpu, &s->self.descriptors, &s->self.rss);
        s->self.time = s->time; /* unless `loads` has it */
        s->part = reader->meta.session.watch.cgroup != NULL;
    }
    sqlite3_reset(find);
    return s;
}

/* Reads what the kernel tells from the columns of those names; false if a number is impossible. */
static bool read_times(sqlite3_stmt *row, const struct kernel_time_name *names, size_t count,
                       struct kernel_times *times)
{
    bool good = true;
    *times = (struct kernel_times){0};
    for (int c = 0; c < sqlite3_column_count(row); c++)
        for (size_t i = 0; i < count; i++) {
            if (sqlite3_column_type(row, c) == SQLITE_NULL ||
                !str_equal(sqlite3_column_name(row, c), names[i].column))
                continue;
            int64_t time = sqlite3_column_int64(row, c);
            good &= time >= 0;
            kernel_times_set(times, i, (uint64_t)time);
        }
    return good;
}

/* Reads the machine's load and countertop's own cost. */
static bool read_loads(struct reader *reader, struct snapshot *s, int64_t interval)
{
    enum { LOAD_CPU = 1, LOAD_AGAIN };
    int64_t before = ROW_SELF - 1;
    bool good = true;
    sqlite3_stmt *find =
        db_query(reader->db, "SELECT * FROM loads WHERE interval = ?1 ORDER BY cpu", interval);
    while (db_next(find, &good)) {
        int64_t cpu = sqlite3_column_int64(find, LOAD_CPU);
        struct kernel_times times;
        good = read_times(find, kernel_times_of_cpu, CPU_TIMES, &times) && cpu > before &&
               cpu <= SCHEMA_CPUS_MAX;
        if (good && cpu == ROW_SELF)
            s->self.time = times.time[CPU_TIME];
        else if (good)
            *load_of(&s->load, (int)cpu) =
                (struct cpu_load){(int)cpu, sqlite3_column_int64(find, LOAD_AGAIN) != 0, times};
        before = cpu;
    }
    return good;
}

static bool read_pressure(struct reader *reader, struct machine_pressure *pressure,
                          int64_t interval)
{
    sqlite3_stmt *find = db_query(reader->db,
                                  "SELECT time, cpu_some, cpu_full, memory_some, memory_full,"
                                  " io_some, io_full FROM pressures WHERE interval = ?1",
                                  interval);
    struct pressure_time *of = pressure->of;
    bool good = true;
    while (db_next(find, &good)) {
        for (int i = 0; i < 1 + 2 * PRESSURES; i++)
            good &= sqlite3_column_int64(find, i) >= 0;
        db_columns(find, 0, "%ju %ju %ju %ju %ju %ju %ju", &pressure->time, &of[0].some,
                   &of[0].full, &of[1].some, &of[1].full, &of[2].some, &of[2].full);
    }
    return good;
}

static bool read_cgroups(struct reader *reader, struct machine_load *load, int64_t interval)
{
    enum { CGROUP_PATH = 1, CGROUPS_MAX = 1 << 16 };
    bool good = true;
    sqlite3_stmt *find = db_query(
        reader->db, "SELECT * FROM cgroup_loads WHERE interval = ?1 ORDER BY path", interval);
    while (db_next(find, &good)) {
        AUTO_FREE char *path = db_text(find, CGROUP_PATH);
        struct kernel_times times;
        good = path && load->cgroup_count < CGROUPS_MAX &&
               db_take(reader->db, DB_INTERVAL, find, sizeof(*load->cgroups)) &&
               read_times(find, kernel_times_of_cgroup, CGROUP_TIMES, &times);
        if (good)
            load_of_cgroup(load, path)->kernel_times = times;
    }
    return good;
}

static bool read_long_waits(struct reader *reader, struct snapshot *s, int64_t interval)
{
    enum { TASK = 7 };
    bool good = true;
    size_t number = 0;
    sqlite3_stmt *find = db_query(reader->db,
                                  "SELECT number, time, length, taken, pid, woken, interrupt,"
                                  " tid, comm, taker, taker_comm, waker, waker_comm"
                                  " FROM long_waits WHERE interval = ?1 ORDER BY number",
                                  interval);
    while (find && db_next(find, &good)) { /* older recordings have no such table */
        struct long_wait *wait = long_waits_add(&s->long_waits);
        struct long_wait_task *const tasks[] = {&wait->task, &wait->taker, &wait->waker};
        int woken, interrupt;
        db_columns(find, 0, "%zu %lf %ju %ju %d %d %d", &number, &wait->time, &wait->length,
                   &wait->taken, &wait->pid, &woken, &interrupt);
        for (int i = 0; i < 3; i++) {
            AUTO_FREE char *comm = db_text(find, TASK + 2 * i + 1);
            memccpy(tasks[i]->comm, comm ? comm : "", 0, sizeof(tasks[i]->comm) - 1);
            tasks[i]->id = sqlite3_column_int(find, TASK + 2 * i);
        }
        wait->woken = woken;
        wait->interrupt = interrupt;
        good = is_time(wait->time) && s->long_waits->count <= LONG_WAITS_MAX;
    }
    if (good && s->long_waits && s->long_waits->count == LONG_WAITS_MAX)
        s->long_waits->count = number + 1; /* older ones were not listed */
    return good;
}

enum tasks_wanted { WANT_TOTALS, WANT_ACTIVE, WANT_ALL }; /* of the tasks */

static struct snapshot *read_interval(struct reader *reader, int64_t interval,
                                      enum tasks_wanted wanted, struct err *err)
{
    static const char not_recorded[] = "it is not in the recording";
    struct row_span tasks, cpus;
    reader->steps = 0;
    read_tasks_begin(&reader->meta);
    reader->meta.idle = wanted == WANT_ALL;
    reader->interval = interval;
    struct snapshot *s = read_head(reader, interval, &tasks, &cpus);
    bool good =
        s && tasks.first >= 1 && cpus.first >= 1 && read_cpus(reader, s, cpus) &&
        read_loads(reader, s, interval) && read_pressure(reader, &s->load.pressure, interval) &&
        read_cgroups(reader, &s->load, interval) &&
        (wanted == WANT_TOTALS || read_profile_read(&reader->profiles, interval, &s->profile));
    if (good && (wanted != WANT_TOTALS || !s->has_cpus))
        good = read_tasks(reader, s, tasks) &&
               (wanted != WANT_ALL || read_tasks_idle(&reader->meta, s, interval));
    if (good && reader->meta.tells_cgroups)
        s->cgroups = cgroup_names_join(NULL, &reader->meta.cgroups);
    good = good && (wanted == WANT_TOTALS || (read_tasks_waits(&reader->meta, s, interval) &&
                                              read_long_waits(reader, s, interval)));
    if (good && s->load.count == 0)
        s->load.reason = mem_strdup(not_recorded);
    if (good && s->load.pressure.time == 0)
        s->load.no_pressure = mem_strdup(not_recorded);
    if (good)
        return s;
    snapshot_free(s);
    const char *excess = db_excess(reader->db);
    err_set(err, "cannot read interval %lld of '%.200s': %s", (long long)interval, reader->db->name,
            excess ? excess : "it is damaged");
    return NULL;
}

struct snapshot *reader_read(struct reader *reader, int64_t interval, bool idle, struct err *err)
{
    return read_interval(reader, interval, idle ? WANT_ALL : WANT_ACTIVE, err);
}

struct snapshot *reader_read_totals(struct reader *reader, int64_t interval, struct err *err)
{
    return read_interval(reader, interval, WANT_TOTALS, err);
}

const struct session *reader_session(const struct reader *reader)
{
    return &reader->meta.session;
}

const struct run_facts *reader_run(const struct reader *reader)
{
    return &reader->meta.facts;
}

/* ---- facts about processes ---- */

const char *reader_user(struct reader *reader, uid_t uid)
{
    return map_get(&reader->meta.users, (uint64_t)uid + 1);
}

const char *reader_cmdline(struct reader *reader, pid_t pid)
{
    const struct recorded_process *process = map_get(&reader->meta.present, (uint64_t)pid);
    return process ? process->cmdline : NULL;
}

bool reader_cgroup(struct reader *reader, pid_t pid, char *path, size_t size)
{
    const struct recorded_process *process = map_get(&reader->meta.present, (uint64_t)pid);
    const char *text = process ? process->cgroup : NULL;
    *path = '\0';
    strncat(path, text ? text : "", size - 1);
    return text != NULL;
}

const char *reader_container(struct reader *reader, const char *path)
{
    sqlite3_stmt *find = db_query(reader->db, "SELECT name FROM containers WHERE path = ?1", 0);
    if (!find)
        return NULL; /* older recordings have no such table */
    db_bind_text(find, 1, path);
    free(reader->container);
    reader->container = sqlite3_step(find) == SQLITE_ROW ? db_text(find, 0) : NULL;
    sqlite3_reset(find);
    return read_meta_clean(reader->container, false);
}

bool reader_wait(struct reader *reader, pid_t tid, struct task_wait *wait)
{
    return read_tasks_wait(&reader->meta, reader->interval, tid, wait);
}
