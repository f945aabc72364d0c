#include "record/schema.h"
#include "base/mem.h"
#include "base/str.h"
#include "record/task_pack.h"

#include <stdlib.h>
#include <string.h>

/* The tables of a recording, each with its columns: all that is created, checked and read. */
static const struct {
    const char *name, *columns;
} tables[] = {
    {"runs", "(id INTEGER PRIMARY KEY, version TEXT, time REAL, host TEXT, kernel TEXT, cpu_model"
             " TEXT, known_as TEXT, ghz_nominal REAL, cpus TEXT, engine TEXT, engine_reason TEXT,"
             " command TEXT)"},
    {"sessions",
     "(id INTEGER PRIMARY KEY, run INTEGER, mode INTEGER, delay REAL, notice TEXT, faults"
     " TEXT, counters INTEGER, processes TEXT, threads TEXT, users TEXT, cgroup TEXT, child"
     " INTEGER)"},
    {"event_sets", "(id INTEGER PRIMARY KEY, groups INTEGER, note TEXT)"},
    {"events", "(event_set INTEGER, position INTEGER, name TEXT, pmu TEXT, unit TEXT, scale REAL,"
               " shared INTEGER, encoding TEXT, state INTEGER, reason TEXT, perf_group INTEGER,"
               " hardware INTEGER, PRIMARY KEY (event_set, position)) WITHOUT ROWID"},
    {"intervals",
     "(id INTEGER PRIMARY KEY, session INTEGER, event_set INTEGER, generation INTEGER, time"
     " REAL, length INTEGER, task_first INTEGER, task_last INTEGER, cpu_first INTEGER,"
     " cpu_last INTEGER, lost_records INTEGER, throttled INTEGER, denied_tasks INTEGER,"
     " starved_tasks INTEGER, self_cpu INTEGER, self_descriptors INTEGER, self_rss INTEGER)"},
    {"processes",
     "(id INTEGER PRIMARY KEY, ident INTEGER, pid INTEGER, ppid INTEGER, uid INTEGER, user"
     " TEXT, comm TEXT, command INTEGER, cmdline TEXT, cgroup TEXT, last INTEGER)"},
    {"tasks", "(id INTEGER PRIMARY KEY, run INTEGER, ident INTEGER, process INTEGER, tid INTEGER,"
              " comm TEXT, first INTEGER, last INTEGER)"},
    {"cpu_rows", "(id INTEGER PRIMARY KEY, cpu INTEGER, busy INTEGER)"},
    {"profiles",
     "(interval INTEGER PRIMARY KEY, first INTEGER, last INTEGER, rate INTEGER, lost"
     " INTEGER, throttled INTEGER, exact INTEGER, short_stacks INTEGER, user_only INTEGER,"
     " event TEXT, unit TEXT, beside TEXT, note TEXT, callers INTEGER, unwound INTEGER,"
     " late INTEGER, copied INTEGER, unwinding INTEGER)"},
    {"profile_rows",
     "(id INTEGER PRIMARY KEY, interval INTEGER, pid INTEGER, tid INTEGER, function INTEGER,"
     " stack INTEGER, samples INTEGER, weight INTEGER, b0 INTEGER, b1 INTEGER, b2 INTEGER,"
     " b3 INTEGER, b4 INTEGER, b5 INTEGER, b6 INTEGER, address INTEGER)"},
    {"objects", "(id INTEGER PRIMARY KEY, name TEXT, path TEXT, reason TEXT)"},
    {"functions",
     "(id INTEGER PRIMARY KEY, object INTEGER, state INTEGER, start INTEGER, size INTEGER,"
     " name TEXT)"},
    {"code", "(function INTEGER PRIMARY KEY, instructions TEXT, lines TEXT)"},
    {"source_lines",
     "(object INTEGER, path TEXT, line INTEGER, text TEXT, PRIMARY KEY (object, path, line))"
     " WITHOUT ROWID"},
    {"stacks", "(id INTEGER PRIMARY KEY, caller INTEGER, function INTEGER)"},
    {"pressures", /* columns are named as in /proc/pressure, ns */
     "(interval INTEGER PRIMARY KEY, time INTEGER, cpu_some INTEGER, cpu_full INTEGER,"
     " memory_some INTEGER, memory_full INTEGER, io_some INTEGER, io_full INTEGER)"},
    {"cgroup_loads", "(interval INTEGER, path TEXT, PRIMARY KEY (interval, path)) WITHOUT ROWID"},
    {"task_packs", "(id INTEGER PRIMARY KEY, tasks INTEGER, near INTEGER)"},
    {"pack_places", "(i INTEGER PRIMARY KEY)"}, /* 0 to PACK_ROWS - 1, for task_rows */
    {"texts", "(id INTEGER PRIMARY KEY, interval INTEGER, text TEXT)"},
    {"loads", "(interval INTEGER, cpu INTEGER, again INTEGER, PRIMARY KEY (interval,"
              " cpu)) WITHOUT ROWID"},
    {"wait_facts", /* ns; spans: {"least length of a bucket": number} */
     "(interval INTEGER, ident INTEGER, kind TEXT, total INTEGER, longest INTEGER, spans TEXT,"
     " PRIMARY KEY (interval, ident, kind)) WITHOUT ROWID"},
    {"alarms", "(id INTEGER PRIMARY KEY, condition TEXT, time REAL, pid INTEGER, tid INTEGER,"
               " value REAL)"},
    {"wait_takers", /* ns; pid 0: no process, and comm is one of no_taker_names */
     "(interval INTEGER, ident INTEGER, pid INTEGER, comm TEXT, taken INTEGER, sure INTEGER,"
     " PRIMARY KEY (interval, ident, pid, comm)) WITHOUT ROWID"},
};
/* Older recordings do not have the last ones. */
enum { TABLES = sizeof(tables) / sizeof(*tables), FIRST_TABLES = TABLES - 3 };

bool schema_has_table(const char *name)
{
    size_t t = 0;
    while (t < TABLES && sqlite3_stricmp(tables[t].name, name) != 0)
        t++;
    return t < TABLES;
}

size_t schema_task_bytes(const struct event_set *set)
{
    /* Arrays have up to twice the room that they need. */
    return 2 * (sizeof(struct task_sample) + sizeof(struct process_info) + sizeof(void *)) +
           counts_size(set);
}

/* Accepts only plain tables: no views, no virtual ones, no computed columns. */
static int schema_check_tables(struct db *db, const char *what, struct err *err)
{
    static const char *const queries[] = {
        "SELECT count(*) FROM pragma_table_xinfo('%s')",
        "SELECT count(*) FROM pragma_table_xinfo('%s') WHERE hidden <> 0",
        "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND rootpage > 0 AND"
        " name = '%s' COLLATE NOCASE"};
    for (size_t t = 0; t < TABLES; t++) {
        int64_t numbers[3]; /* of columns, of computed ones, of plain tables; -1: it is odd */
        for (size_t q = 0; q < 3; q++) {
            char *sql = sqlite3_mprintf(queries[q], tables[t].name);
            numbers[q] = db_number(db, sql, -1);
            sqlite3_free(sql);
        }
        bool absent = t >= FIRST_TABLES && numbers[0] == 0;
        if (!absent && (numbers[0] < 1 || numbers[1] != 0 || numbers[2] != 1))
            return err_set(err, "cannot %s '%.200s': its table '%s' is missing or odd", what,
                           db->name, tables[t].name);
    }
    return 0;
}

/* Adds the columns of a list, separated by commas, that a table does not have yet. */
static int add_columns(struct db *db, const char *table, const char *list, struct err *err)
{
    AUTO_FREE char *copy = mem_strdup(list);
    char *rest = copy, *name;
    int result = 0;
    while (result == 0 && (name = strsep(&rest, ", "))) {
        AUTO_FREE char *sql = mem_printf(
            "SELECT count(*) FROM pragma_table_info('%s') WHERE name = '%s'", table, name);
        if (*name && !db_number(db, sql, 0))
            result = db_exec(db, err, "ALTER TABLE %s ADD COLUMN %s %s", table, name,
                             strstr(name, "_more") ? "BLOB" : "INTEGER");
    }
    return result;
}

int schema_extend(struct db *db, size_t events, size_t groups, struct err *err)
{
    AUTO_FREE char *counts = schema_counts(events, groups),
                   *packs = pack_columns(events, groups, false);
    int result = add_columns(db, "cpu_rows", counts, err);
    if (result == 0)
        result = add_columns(db, "task_packs", packs, err);
    return result;
}

int schema_complete(struct db *db, struct err *err)
{
    for (size_t t = FIRST_TABLES; t < TABLES; t++)
        if (db_exec(db, err, "CREATE TABLE IF NOT EXISTS %s %s", tables[t].name,
                    tables[t].columns) < 0)
            return -1;
    AUTO_FREE char *loads = schema_times(kernel_times_of_cpu, CPU_TIMES);
    AUTO_FREE char *cgroups = schema_times(kernel_times_of_cgroup, CGROUP_TIMES);
    int result = add_columns(db, "loads", loads, err);
    if (result == 0)
        result = add_columns(db, "cgroup_loads", cgroups, err);
    if (result == 0)
        result = add_columns(db, "profiles", "ran, alone", err); /* by elapsed time */
    if (result == 0)
        result = schema_extend(db, 0, 0, err); /* fields of packs */
    return result;
}

int schema_create(struct db *db, struct err *err)
{
    int result = db_exec(db, err, "BEGIN; PRAGMA application_id = %d; PRAGMA user_version = %d",
                         SCHEMA_APPLICATION, SCHEMA_VERSION);
    for (size_t t = 0; t < FIRST_TABLES && result == 0; t++)
        result = db_exec(db, err, "CREATE TABLE %s %s", tables[t].name, tables[t].columns);
    for (int i = 0; i < PACK_ROWS && result == 0; i++)
        result = db_exec(db, err, "INSERT INTO pack_places VALUES (%d)", i);
    if (result < 0 || schema_complete(db, err) < 0)
        return -1;
    return db_exec(db, err, "COMMIT");
}

int schema_check(struct db *db, const char *what, struct err *err)
{
    sqlite3_stmt *statement;
    /* The first read of the file: its error says what is wrong with it. */
    int prepared =
        sqlite3_prepare_v2(db->handle, "SELECT count(*) FROM sqlite_master", -1, &statement, NULL);
    int result = prepared == SQLITE_OK ? sqlite3_step(statement) : prepared;
    if (result != SQLITE_ROW)
        db_fail(db, what, err);
    if (prepared == SQLITE_OK)
        sqlite3_finalize(statement);
    if (result != SQLITE_ROW)
        return -1;
    if (db_number(db, "PRAGMA application_id", 0) != SCHEMA_APPLICATION)
        return err_set(err, "cannot %s '%.200s': it is %s", what, db->name,
                       db_number(db, "PRAGMA page_count", -1) == 0
                           ? "empty"
                           : "a database of another program");
    int64_t version = db_number(db, "PRAGMA user_version", 0);
    if (version != SCHEMA_VERSION)
        return err_set(err,
                       "cannot %s '%.200s': it has format %lld, and this countertop knows only "
                       "format %d",
                       what, db->name, (long long)version, SCHEMA_VERSION);
    return schema_check_tables(db, what, err);
}

char *schema_counts(size_t events, size_t groups)
{
    struct str columns = str_new();
    for (size_t e = 0; e < events; e++)
        str_printf(&columns, ", c%zu", e);
    for (size_t g = 0; g < groups; g++)
        str_printf(&columns, ", e%zu, r%zu", g, g);
    return str_detach(&columns);
}

char *schema_times(const struct kernel_time_name *names, size_t count)
{
    struct str columns = str_new();
    for (size_t i = 0; i < count; i++)
        str_printf(&columns, ", %s", names[i].column);
    return str_detach(&columns);
}

/* ---- views ---- */

/* The columns of a view for the events: for each name, in the order of their positions, one that
 * joins the newest sets that have it. A shared event is known only in rows in which it was counted.
 * Counts are scaled as in model/delta.c: not where CPUs counted all the time, and of tasks not if
 * less than a hundredth was covered. ?1 and ?2 are put around each value, ?3 and ?4 around the name
 * of each stored number; ?5: 1 if the rows are not those of tasks. */
static const char COLUMNS[] =
    "SELECT coalesce(group_concat(printf(', %sCASE%s END%s AS \"%w\"', ?1, cases, ?2, name), ''),"
    " '') FROM (SELECT name, min(position) AS first, group_concat(' WHEN i.event_set = ' ||"
    " event_set || replace(replace(replace(replace(CASE WHEN shared THEN ' AND {e#} > 0' ELSE ''"
    " END || ' THEN CASE WHEN {r#} IS NULL OR {r#} >= {e#} THEN {c@}"
    " WHEN ' || ?5 || ' OR {r#} * 100 >= {e#} THEN CASE WHEN (SELECT count(*) > 0 AND"
    " total(w.r# < w.e#) = 0 FROM cpu_rows w WHERE w.id BETWEEN i.cpu_first AND i.cpu_last AND"
    " w.cpu >= 0) THEN {c@} WHEN {r#} * 100 >= {e#} THEN"
    " CAST(round({c@} * 1.0 * {e#} / {r#}) AS INTEGER) END END', '#', perf_group), '@', position),"
    " '{', ?3), '}', ?4), '')"
    " AS cases FROM (SELECT * FROM events WHERE perf_group >= 0 AND typeof(name) = 'text'"
    " ORDER BY event_set DESC, position LIMIT 4000) GROUP BY name ORDER BY first, name)";

/* The columns of cpu_rows, added up; a group that was running as long as enabled has no r. */
static const char SUMS[] =
    "SELECT coalesce(group_concat(printf(CASE substr(name, 1, 1) WHEN 'r' THEN"
    " ', sum(coalesce(r.%s, r.e%s)) AS %s' ELSE ', sum(r.%s) AS %.0s%s' END, name,"
    " substr(name, 2), name), ''), '') FROM pragma_table_info('cpu_rows')"
    " WHERE name GLOB '[cer][0-9]*'";

/* The text that a query makes: COLUMNS with its parameters, or SUMS (around: NULL). NULL with a
 * message. The caller frees it. */
static char *make_columns(struct db *db, const char *sql, const char *const around[5],
                          struct err *err)
{
    sqlite3_stmt *query = db_prepare(db, sql, err);
    if (!query)
        return NULL;
    for (int i = 0; around && i < 5; i++)
        db_bind_text(query, i + 1, around[i]);
    char *columns = sqlite3_step(query) == SQLITE_ROW ? db_text(query, 0) : NULL;
    if (!columns)
        db_fail(db, "record to", err);
    sqlite3_finalize(query);
    return columns;
}

/* What tables have of a task r of task_rows; looked up only in queries that ask for it. */
#define OF_TASK(column) "(SELECT " column " FROM tasks WHERE id = r.task)"
#define OF_PROCESS(column)                                                                         \
    "(SELECT " column " FROM processes WHERE id = coalesce(" OF_TASK("process") ", r.process))"
#define TEXT(column) "(SELECT text FROM texts WHERE id = r." column ")"

/* The view of the numbers in packs, and that of tasks with what they did. */
static int make_task_views(struct db *db, const char *when, struct err *err)
{
    size_t events = (size_t)db_number(db, "SELECT max(position) + 1 FROM events", 0);
    size_t groups = (size_t)db_number(db, "SELECT max(groups) FROM event_sets", 0);
    AUTO_FREE char *numbers = pack_query(events, groups);
    AUTO_FREE char *counts = make_columns(
        db, COLUMNS, (const char *const[]){"CASE WHEN r.flags < 16 THEN ", " END", "r.", "", "0"},
        err);
    if (!counts)
        return -1;
    return db_exec(
        db, err,
        "DROP VIEW IF EXISTS task_rows; CREATE VIEW task_rows AS %s;"
        "DROP VIEW IF EXISTS task_counts; CREATE VIEW task_counts AS"
        " SELECT %s, coalesce(%s, r.tid) AS pid, coalesce(%s, r.tid) AS tid,"
        " coalesce(%s, r.ppid) AS ppid, coalesce(%s, %s) AS user, coalesce(%s, %s) AS comm,"
        " coalesce(%s, %s) AS process, %s AS cmdline, coalesce(%s, %s) AS cgroup,"
        " r.cpu, r.flags & 1 AS exited, r.oncpu / 1e9 AS oncpu%s"
        " FROM intervals i JOIN task_rows r ON r.id BETWEEN i.task_first AND i.task_last"
        " WHERE NOT r.flags & %d;",
        numbers, when, OF_PROCESS("pid"), OF_TASK("tid"), OF_PROCESS("ppid"), OF_PROCESS("user"),
        TEXT("user"), OF_TASK("comm"), TEXT("comm"), OF_PROCESS("comm"), TEXT("process_comm"),
        OF_PROCESS("cmdline"), TEXT("cgroup"), OF_PROCESS("cgroup"), counts, ROW_SLEPT | ROW_MOVED);
}

int schema_views(struct db *db, struct err *err)
{
    static const char when[] = "i.id AS interval, i.time, i.length / 1e9 AS seconds";
    static const char cpu_rows[] =
        "FROM intervals i JOIN cpu_rows r ON r.id BETWEEN i.cpu_first AND i.cpu_last";
    static const char *const plain[] = {"", "", "r.", "", "1"};
    AUTO_FREE char *of_cpus = make_columns(db, COLUMNS, plain, err);
    AUTO_FREE char *sums = of_cpus ? make_columns(db, SUMS, NULL, err) : NULL;
    int result = -1;
    if (sums)
        result = make_task_views(db, when, err);
    if (result == 0)
        result = db_exec(db, err,
                         "DROP VIEW IF EXISTS cpu_counts; CREATE VIEW cpu_counts AS SELECT %s,"
                         " r.cpu, r.busy / 1e9 AS busy%s %s WHERE r.cpu >= 0;",
                         when, of_cpus, cpu_rows);
    if (result == 0)
        result = db_exec(db, err,
                         "DROP VIEW IF EXISTS summary; CREATE VIEW summary AS SELECT %s,"
                         " CASE r.cpu WHEN %d THEN 'idle' ELSE 'unattributed' END AS kind%s %s"
                         " WHERE r.cpu < 0 UNION ALL SELECT %s, 'total'%s FROM intervals i JOIN"
                         " (SELECT i.id%s %s WHERE r.cpu >= 0 GROUP BY i.id) r ON r.id = i.id;",
                         when, ROW_IDLE, of_cpus, cpu_rows, when, of_cpus, sums, cpu_rows);
    return result;
}
