#include "record/schema.h"
#include "base/mem.h"
#include "base/str.h"

#include <stdlib.h>

static const char TABLES[] =
    "CREATE TABLE runs (id INTEGER PRIMARY KEY, version TEXT, time REAL, host TEXT, kernel TEXT,"
    " cpu_model TEXT, known_as TEXT, ghz_nominal REAL, cpus TEXT, engine TEXT,"
    " engine_reason TEXT, command TEXT);"
    "CREATE TABLE sessions (id INTEGER PRIMARY KEY, run INTEGER, mode INTEGER, delay REAL,"
    " notice TEXT, faults TEXT, counters INTEGER, processes TEXT, threads TEXT, users TEXT, cgroup "
    "TEXT, child INTEGER);"
    "CREATE TABLE event_sets (id INTEGER PRIMARY KEY, groups INTEGER, note TEXT);"
    "CREATE TABLE events (event_set INTEGER, position INTEGER, name TEXT, pmu TEXT, unit TEXT,"
    " scale REAL, shared INTEGER, encoding TEXT, state INTEGER, reason TEXT, perf_group INTEGER,"
    " hardware INTEGER, PRIMARY KEY (event_set, position)) WITHOUT ROWID;"
    "CREATE TABLE intervals (id INTEGER PRIMARY KEY, session INTEGER, event_set INTEGER,"
    " generation INTEGER, time REAL, length INTEGER, task_first INTEGER, task_last INTEGER,"
    " cpu_first INTEGER, cpu_last INTEGER, lost_records INTEGER, throttled INTEGER,"
    " denied_tasks INTEGER, starved_tasks INTEGER, self_cpu INTEGER, self_descriptors INTEGER,"
    " self_rss INTEGER);"
    "CREATE TABLE processes (id INTEGER PRIMARY KEY, ident INTEGER, pid INTEGER, ppid INTEGER,"
    " uid INTEGER, user TEXT, comm TEXT, command INTEGER, cmdline TEXT, cgroup TEXT);"
    "CREATE TABLE tasks (id INTEGER PRIMARY KEY, run INTEGER, ident INTEGER, process INTEGER,"
    " tid INTEGER, comm TEXT, first INTEGER, last INTEGER);"
    "CREATE TABLE task_rows (id INTEGER PRIMARY KEY, task INTEGER, cpu INTEGER, flags INTEGER,"
    " oncpu INTEGER);"
    "CREATE TABLE cpu_rows (id INTEGER PRIMARY KEY, cpu INTEGER, busy INTEGER);";

int schema_complete(struct db *db, struct err *err)
{
    return db_exec(db, err,
                   "CREATE TABLE IF NOT EXISTS loads (interval INTEGER, cpu INTEGER, busy INTEGER,"
                   " total INTEGER, PRIMARY KEY (interval, cpu)) WITHOUT ROWID");
}

int schema_create(struct db *db, struct err *err)
{
    if (db_exec(db, err, "%s PRAGMA application_id = %d; PRAGMA user_version = %d;", TABLES,
                SCHEMA_APPLICATION, SCHEMA_VERSION) < 0)
        return -1;
    return schema_complete(db, err);
}

/* A file in WAL mode is read through a shared file beside it, which must be made again if the
 * writer was killed (sqlite.org/wal.html, "Read-Only Databases"). */
static int refuse_beside(const struct db *db, const char *what, struct err *err)
{
    return err_set(err,
                   "cannot %s '%.200s': it was not ended well, and can only be read where one may "
                   "write: copy it, and '%.200s-wal', to a directory of your own",
                   what, db->name, db->name);
}

int schema_check(struct db *db, const char *what, struct err *err)
{
    sqlite3_stmt *statement;
    /* The first read of the file: its error says what is wrong with it. */
    int prepared =
        sqlite3_prepare_v2(db->handle, "SELECT count(*) FROM sqlite_master", -1, &statement, NULL);
    if (prepared != SQLITE_OK)
        return prepared == SQLITE_CANTOPEN ? refuse_beside(db, what, err) : db_fail(db, what, err);
    int result = sqlite3_step(statement);
    int failed = result == SQLITE_ROW        ? 0
                 : result == SQLITE_CANTOPEN ? refuse_beside(db, what, err)
                                             : db_fail(db, what, err);
    sqlite3_finalize(statement);
    if (failed)
        return failed;
    if (db_number(db, "PRAGMA application_id", 0) != SCHEMA_APPLICATION)
        return err_set(err, "cannot %s '%.200s': it is a database of another program", what,
                       db->name);
    int64_t version = db_number(db, "PRAGMA user_version", 0);
    if (version > SCHEMA_VERSION)
        return err_set(err,
                       "cannot %s '%.200s': a newer countertop wrote it (format %lld, this one "
                       "knows %d)",
                       what, db->name, (long long)version, SCHEMA_VERSION);
    if (version < SCHEMA_VERSION)
        return err_set(err, "cannot %s '%.200s': it has no format that is known (%lld)", what,
                       db->name, (long long)version);
    return 0;
}

/* How many columns of a table are named by the letter and a number. */
static int64_t schema_columns_of(struct db *db, const char *table, const char *letter)
{
    char *sql = mem_printf("SELECT count(*) FROM pragma_table_info('%s')"
                           " WHERE name GLOB '%s[0-9]*'",
                           table, letter);
    int64_t count = db_number(db, sql, 0);
    free(sql);
    return count;
}

static int schema_add_columns(struct db *db, const char *letter, size_t most, struct err *err)
{
    static const char *const tables[] = {"task_rows", "cpu_rows"};
    for (size_t t = 0; t < sizeof(tables) / sizeof(*tables); t++)
        for (int64_t i = schema_columns_of(db, tables[t], letter); i < (int64_t)most; i++)
            if (db_exec(db, err, "ALTER TABLE %s ADD COLUMN %s%lld INTEGER", tables[t], letter,
                        (long long)i) < 0)
                return -1;
    return 0;
}

int schema_extend(struct db *db, size_t events, size_t groups, struct err *err)
{
    if (schema_add_columns(db, "c", events, err) < 0 ||
        schema_add_columns(db, "e", groups, err) < 0)
        return -1;
    return schema_add_columns(db, "r", groups, err);
}

/* ---- views ---- */

/* Only the newest sets: the views are for people. */
static const char EVENTS[] =
    "SELECT name, event_set, position, perf_group, shared FROM events WHERE perf_group >= 0"
    " ORDER BY event_set DESC, position LIMIT 4000";

/* The columns of a view for the events: `, CASE ... END AS "name"`. */
struct columns {
    struct str text;
    const char *after; /* the end of each value */
};

static void schema_add_value(struct str *text, long long set, long long position, long long group,
                             bool shared)
{
    str_printf(text, " WHEN i.event_set = %lld", set);
    if (shared) /* known only in rows in which it was counted */
        str_printf(text, " AND e%lld > 0", group);
    str_printf(text,
               " THEN CASE WHEN r%lld IS NULL OR r%lld >= e%lld THEN c%lld WHEN r%lld > 0 THEN"
               " CAST(round(c%lld * 1.0 * e%lld / r%lld) AS INTEGER) END",
               group, group, group, position, group, position, group, group);
}

static void end_column(struct columns *columns, const char *name)
{
    char *quoted = sqlite3_mprintf(" END%s AS \"%w\"", columns->after, name);
    str_add(&columns->text, quoted ? quoted : "");
    sqlite3_free(quoted);
}

/* For each name of an event, joins the sets that have it. */
static int make_columns(struct db *db, struct columns *columns, const char *before,
                        const char *after, struct err *err)
{
    *columns = (struct columns){.after = after};
    str_init(&columns->text);
    char *sql = mem_printf("SELECT * FROM (%s) ORDER BY min(position) OVER (PARTITION BY name),"
                           " name, event_set",
                           EVENTS);
    sqlite3_stmt *events = db_prepare(db, sql, err);
    free(sql);
    if (!events)
        return -1;
    char *name = NULL;
    while (sqlite3_step(events) == SQLITE_ROW) {
        char *next = db_text(events, 0);
        if (next && !str_equal(name, next)) {
            if (name)
                end_column(columns, name);
            str_printf(&columns->text, ", %sCASE", before);
            free(name);
            name = mem_strdup(next);
        }
        if (next)
            schema_add_value(&columns->text, sqlite3_column_int64(events, 1),
                             sqlite3_column_int64(events, 2), sqlite3_column_int64(events, 3),
                             sqlite3_column_int64(events, 4) != 0);
        free(next);
    }
    if (name)
        end_column(columns, name);
    free(name);
    sqlite3_finalize(events);
    return 0;
}

static int schema_make_view(struct db *db, const char *name, const char *columns, const char *rest,
                            struct err *err)
{
    return db_exec(db, err, "DROP VIEW IF EXISTS %s; CREATE VIEW %s AS SELECT %s %s;", name, name,
                   columns, rest);
}

static const char WHEN[] = "i.id AS interval, i.time, i.length / 1e9 AS seconds";
static const char CPU_ROWS[] =
    "FROM intervals i JOIN cpu_rows r ON r.id BETWEEN i.cpu_first AND i.cpu_last";

static int make_task_view(struct db *db, struct err *err)
{
    struct columns events;
    if (make_columns(db, &events, "CASE WHEN r.flags < 16 THEN ", " END", err) < 0)
        return -1;
    char *columns = mem_printf("%s, p.pid, t.tid, p.ppid, p.user, t.comm, p.comm AS process,"
                               " p.cmdline, p.cgroup, r.cpu, r.flags & 1 AS exited,"
                               " r.oncpu / 1e9 AS oncpu%s",
                               WHEN, events.text.text);
    int result =
        schema_make_view(db, "task_counts", columns,
                         "FROM intervals i JOIN task_rows r ON r.id BETWEEN i.task_first AND"
                         " i.task_last JOIN tasks t ON t.id = r.task"
                         " JOIN processes p ON p.id = t.process",
                         err);
    free(columns);
    str_release(&events.text);
    return result;
}

static int make_cpu_view(struct db *db, struct err *err)
{
    struct columns events;
    if (make_columns(db, &events, "", "", err) < 0)
        return -1;
    char *columns =
        mem_printf("%s, r.cpu, r.busy / 1e9 AS busy%s %s", WHEN, events.text.text, CPU_ROWS);
    int result = schema_make_view(db, "cpu_counts", columns, "WHERE r.cpu >= 0", err);
    free(columns);
    str_release(&events.text);
    return result;
}

static int make_summary(struct db *db, struct err *err)
{
    struct columns events, sums;
    if (make_columns(db, &events, "", "", err) < 0)
        return -1;
    if (make_columns(db, &sums, "sum(", ")", err) < 0) {
        str_release(&events.text);
        return -1;
    }
    char *columns =
        mem_printf("%s, CASE r.cpu WHEN %d THEN 'idle' ELSE 'unattributed' END AS kind%s %s"
                   " WHERE r.cpu < 0 UNION ALL SELECT %s, 'total'%s %s",
                   WHEN, ROW_IDLE, events.text.text, CPU_ROWS, WHEN, sums.text.text, CPU_ROWS);
    int result = schema_make_view(db, "summary", columns, "WHERE r.cpu >= 0 GROUP BY i.id", err);
    free(columns);
    str_release(&events.text);
    str_release(&sums.text);
    return result;
}

int schema_views(struct db *db, struct err *err)
{
    if (make_task_view(db, err) < 0 || make_cpu_view(db, err) < 0)
        return -1;
    return make_summary(db, err);
}
