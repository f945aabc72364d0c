#include "record/schema.h"
#include "base/mem.h"
#include "base/str.h"

#include <stdlib.h>
#include <string.h>

/* The tables of a recording, each with its columns: all that is created, checked and read. */
static const struct {
    const char *name, *columns;
    bool always; /* older recordings lack the others */
} tables[] = {
    {"runs",
     "(id INTEGER PRIMARY KEY, version TEXT, time REAL, host TEXT, kernel TEXT, cpu_model"
     " TEXT, known_as TEXT, ghz_nominal REAL, cpus TEXT, engine TEXT, engine_reason TEXT,"
     " command TEXT)",
     true},
    {"sessions",
     "(id INTEGER PRIMARY KEY, run INTEGER, mode INTEGER, delay REAL, notice TEXT, faults"
     " TEXT, counters INTEGER, processes TEXT, threads TEXT, users TEXT, cgroup TEXT, child"
     " INTEGER)",
     true},
    {"event_sets", "(id INTEGER PRIMARY KEY, groups INTEGER, note TEXT)", true},
    {"events",
     "(event_set INTEGER, position INTEGER, name TEXT, pmu TEXT, unit TEXT, scale REAL,"
     " shared INTEGER, encoding TEXT, state INTEGER, reason TEXT, perf_group INTEGER,"
     " hardware INTEGER, PRIMARY KEY (event_set, position)) WITHOUT ROWID",
     true},
    {"intervals",
     "(id INTEGER PRIMARY KEY, session INTEGER, event_set INTEGER, generation INTEGER, time"
     " REAL, length INTEGER, task_first INTEGER, task_last INTEGER, cpu_first INTEGER,"
     " cpu_last INTEGER, lost_records INTEGER, throttled INTEGER, denied_tasks INTEGER,"
     " starved_tasks INTEGER, self_cpu INTEGER, self_descriptors INTEGER, self_rss INTEGER)",
     true},
    {"processes",
     "(id INTEGER PRIMARY KEY, ident INTEGER, pid INTEGER, ppid INTEGER, uid INTEGER, user"
     " TEXT, comm TEXT, command INTEGER, cmdline TEXT, cgroup TEXT)",
     true},
    {"tasks",
     "(id INTEGER PRIMARY KEY, run INTEGER, ident INTEGER, process INTEGER, tid INTEGER,"
     " comm TEXT, first INTEGER, last INTEGER)",
     true},
    {"task_rows",
     "(id INTEGER PRIMARY KEY, task INTEGER, cpu INTEGER, flags INTEGER, oncpu INTEGER)", true},
    {"cpu_rows", "(id INTEGER PRIMARY KEY, cpu INTEGER, busy INTEGER)", true},
    {"profiles",
     "(interval INTEGER PRIMARY KEY, first INTEGER, last INTEGER, rate INTEGER, lost"
     " INTEGER, throttled INTEGER, exact INTEGER, short_stacks INTEGER, user_only INTEGER,"
     " event TEXT, unit TEXT, beside TEXT, note TEXT)",
     false},
    {"profile_rows",
     "(id INTEGER PRIMARY KEY, interval INTEGER, pid INTEGER, tid INTEGER, function INTEGER,"
     " stack INTEGER, samples INTEGER, weight INTEGER, b0 INTEGER, b1 INTEGER, b2 INTEGER,"
     " b3 INTEGER, b4 INTEGER, b5 INTEGER, b6 INTEGER, address INTEGER)",
     false},
    {"objects", "(id INTEGER PRIMARY KEY, name TEXT, path TEXT, reason TEXT)", false},
    {"functions",
     "(id INTEGER PRIMARY KEY, object INTEGER, state INTEGER, start INTEGER, size INTEGER,"
     " name TEXT)",
     false},
    {"code", "(function INTEGER PRIMARY KEY, instructions TEXT, lines TEXT)", false},
    {"source_lines",
     "(object INTEGER, path TEXT, line INTEGER, text TEXT, PRIMARY KEY (object, path, line))"
     " WITHOUT ROWID",
     false},
    {"stacks", "(id INTEGER PRIMARY KEY, caller INTEGER, function INTEGER)", false},
    {"pressures", /* columns are named as in /proc/pressure, ns */
     "(interval INTEGER PRIMARY KEY, time INTEGER, cpu_some INTEGER, cpu_full INTEGER,"
     " memory_some INTEGER, memory_full INTEGER, io_some INTEGER, io_full INTEGER)",
     false},
    {"cgroup_loads", "(interval INTEGER, path TEXT, PRIMARY KEY (interval, path)) WITHOUT ROWID",
     false},
    {"task_packs", "(id INTEGER PRIMARY KEY, kind INTEGER, timed INTEGER, near INTEGER, rows BLOB)",
     false},
    {"texts", "(id INTEGER PRIMARY KEY, interval INTEGER, text TEXT)", false},
    {"loads",
     "(interval INTEGER, cpu INTEGER, busy INTEGER, total INTEGER, PRIMARY KEY (interval,"
     " cpu)) WITHOUT ROWID",
     false},
};
enum { TABLES = sizeof(tables) / sizeof(*tables) };

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

/* Creates the tables that all recordings have, or those that older ones lack. */
static int schema_create_tables(struct db *db, bool always, struct err *err)
{
    for (size_t t = 0; t < TABLES; t++)
        if (tables[t].always == always && db_exec(db, err, "CREATE TABLE IF NOT EXISTS %s %s",
                                                  tables[t].name, tables[t].columns) < 0)
            return -1;
    return 0;
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
        bool absent = numbers[0] == 0 && !tables[t].always;
        if (!absent && (numbers[0] < 1 || numbers[1] != 0 || numbers[2] != 1))
            return err_set(err, "cannot %s '%.200s': its table '%s' is missing or odd", what,
                           db->name, tables[t].name);
    }
    return 0;
}

/* Adds a column to a table that was made before there was such a column. */
static int schema_add_column(struct db *db, const char *table, const char *column, struct err *err)
{
    char *sql =
        mem_printf("SELECT count(*) FROM pragma_table_info('%s') WHERE name = '%s'", table, column);
    int64_t there = db_number(db, sql, 0);
    free(sql);
    return there ? 0 : db_exec(db, err, "ALTER TABLE %s ADD COLUMN %s INTEGER", table, column);
}

/* Adds what the kernel says of CPUs or cgroups. */
static int schema_add_times(struct db *db, const char *table, const struct kernel_time_name *names,
                            size_t count, struct err *err)
{
    for (size_t i = 0; i < count; i++)
        if (schema_add_column(db, table, names[i].column, err) < 0)
            return -1;
    return 0;
}

int schema_complete(struct db *db, struct err *err)
{
    if (schema_create_tables(db, false, err) < 0 ||
        db_exec(db, err, "PRAGMA user_version = %d", SCHEMA_VERSION) < 0)
        return -1;
    if (schema_add_times(db, "loads", kernel_times_of_cpu, CPU_TIMES, err) < 0 ||
        schema_add_times(db, "cgroup_loads", kernel_times_of_cgroup, CGROUP_TIMES, err) < 0 ||
        schema_add_column(db, "loads", "again", err) < 0)
        return -1;
    /* How callers were found: enum stacks, and what became of those that were copied. */
    static const char *const callers[] = {"callers", "unwound", "late", "copied", "unwinding"};
    for (size_t i = 0; i < sizeof(callers) / sizeof(*callers); i++)
        if (schema_add_column(db, "profiles", callers[i], err) < 0)
            return -1;
    return schema_add_column(db, "profile_rows", "address", err) < 0
               ? -1
               : schema_add_column(db, "processes", "last", err);
}

int schema_create(struct db *db, struct err *err)
{
    if (db_exec(db, err, "BEGIN; PRAGMA application_id = %d", SCHEMA_APPLICATION) < 0 ||
        schema_create_tables(db, true, err) < 0 || schema_complete(db, err) < 0)
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
    if (version > SCHEMA_VERSION)
        return err_set(err,
                       "cannot %s '%.200s': a newer countertop wrote it (format %lld, this one "
                       "knows %d)",
                       what, db->name, (long long)version, SCHEMA_VERSION);
    if (version < 1)
        return err_set(err, "cannot %s '%.200s': it has no format that is known (%lld)", what,
                       db->name, (long long)version);
    return schema_check_tables(db, what, err);
}

char *schema_counts(size_t events, size_t groups)
{
    struct str columns;
    str_init(&columns);
    for (size_t e = 0; e < events; e++)
        str_printf(&columns, ", c%zu", e);
    for (size_t g = 0; g < groups; g++)
        str_printf(&columns, ", e%zu, r%zu", g, g);
    return str_detach(&columns);
}

/* Adds columns that are named by the letter and a number, so that there are `most`. */
static int schema_add_columns(struct db *db, const char *letter, size_t most, struct err *err)
{
    static const char *const of[] = {"task_rows", "cpu_rows"};
    for (size_t t = 0; t < sizeof(of) / sizeof(*of); t++) {
        char *sql = mem_printf("SELECT count(*) FROM pragma_table_info('%s')"
                               " WHERE name GLOB '%s[0-9]*'",
                               of[t], letter);
        int64_t next = db_number(db, sql, 0);
        free(sql);
        for (; next < (int64_t)most; next++)
            if (db_exec(db, err, "ALTER TABLE %s ADD COLUMN %s%lld INTEGER", of[t], letter,
                        (long long)next) < 0)
                return -1;
    }
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

/* The rows of a pack k (record/task_pack.h) as an array of objects: fields f0, f1 ..., then c0 ...,
 * e0, r0 ... as in task_rows. The pack's kind has `head` fields, its event set `events`.
 *
 * Of packs in rows, b: bytes v, each with what is there of its number, a, and the bits s of that.
 * Of packs in columns, {AT:WIDTH} is a number of WIDTH bits, at most 32; r: the rows; h: the
 * columns, each thrice, the second time with its head and `at` behind it, and then with the lengths
 * of its numbers, an array; l: numbers with their length and the place of the next one; g: their
 * own place.
 *
 * m: the numbers, with the row's and the field's; y: with the number that they are if signed, and
 * whether they are a count in `near`; z: with what times and these are differences to. */
static const char UNPACKED[] =
    "(WITH RECURSIVE b(p, s, a, v) AS (SELECT 0, 0, 0, 128 WHERE NOT columns"
    " UNION ALL SELECT p + 1, CASE WHEN p = 0 OR v < 128 THEN 0 ELSE s + 7 END,"
    " CASE WHEN v < 128 THEN 0 ELSE a | ((v & 127) << s) END,"
    " instr(bytes, substr(rows, p + 1, 1)) - 1 FROM b WHERE p < length(rows)),"
    " r(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM r WHERE i + 1 < count),"
    " h(c, at, least, w, lengths) AS (SELECT 0, 8, NULL, NULL, NULL WHERE columns"
    " UNION ALL SELECT c + (lengths IS NOT NULL), at + CASE WHEN least IS NULL THEN 10"
    " WHEN lengths IS NOT NULL THEN (SELECT sum(max(value - 1, 0)) FROM json_each(lengths))"
    " WHEN w > 0 THEN w + count + w * (SELECT sum({at + w + i:1}) FROM r) ELSE 0 END,"
    " CASE WHEN least IS NULL THEN {at:7} WHEN lengths IS NULL THEN least END,"
    " CASE WHEN least IS NULL THEN {at + 7:3} WHEN lengths IS NULL THEN w END,"
    " CASE WHEN least IS NOT NULL AND lengths IS NULL THEN"
    " (SELECT json_group_array(least + CASE WHEN w = 0 THEN 0 WHEN odd THEN"
    " {at + w + count + w * rank:w} ELSE {at:w} END) FROM (SELECT odd,"
    " sum(odd) OVER (ORDER BY i) - odd AS rank FROM (SELECT i, {at + w + i:1} AS odd FROM r)"
    " ORDER BY i)) END FROM h WHERE c < width),"
    " l(i, c, len, next) AS (SELECT key, c, value,"
    " at + sum(max(value - 1, 0)) OVER (PARTITION BY c ORDER BY key)"
    " FROM h, json_each(lengths) WHERE lengths IS NOT NULL),"
    " g(i, c, len, at, low) AS (SELECT i, c, len, next - max(len - 1, 0),"
    " min(max(len - 1, 0), 32) FROM l),"
    " m(w, f, n) AS (SELECT (row_number() OVER (ORDER BY p) - 1) / width,"
    " (row_number() OVER (ORDER BY p) - 1) % width, a | (v << s) FROM b WHERE v < 128"
    " UNION ALL SELECT i, c, CASE len WHEN 0 THEN 0 ELSE {at:low} | (1 << (len - 1)) |"
    " CASE WHEN len > 33 THEN {at + 32:len - 33} << 32 ELSE 0 END END FROM g),"
    " y(w, f, n, d, close) AS (SELECT w, f, n,"
    " CASE WHEN n & 1 THEN -1 - (n >> 1 & ~(1 << 63)) ELSE n >> 1 & ~(1 << 63) END,"
    " f BETWEEN head AND head + min(events, 62) - 1 AND near >> (f - head) & 1 FROM m),"
    " z(w, f, n, d, close, base) AS (SELECT w, f, n, d, close,"
    " max(CASE WHEN f = 2 THEN n END) OVER (PARTITION BY w) + CASE WHEN columns THEN"
    " coalesce(sum(d * close) OVER (PARTITION BY w ORDER BY f ROWS BETWEEN UNBOUNDED PRECEDING"
    " AND 1 PRECEDING), 0) ELSE 0 END FROM y),"
    " o(w, name, n) AS (SELECT w, CASE WHEN f < head THEN 'f' || f WHEN f < head + events THEN"
    " 'c' || (f - head) WHEN (f - head - events) % 2 THEN 'r' || ((f - head - events) / 2) ELSE"
    " 'e' || ((f - head - events) / 2) END, CASE WHEN f IN (0, 2) THEN n WHEN f < head THEN"
    " sum(d) OVER (PARTITION BY f ORDER BY w) WHEN f >= head + events OR close THEN base + d +"
    " CASE WHEN columns AND f >= head + events AND (f - head - events) % 2 THEN"
    " lag(d) OVER (PARTITION BY w ORDER BY f) ELSE 0 END ELSE n END FROM z)"
    " SELECT json_group_array(json(object)) FROM"
    " (SELECT json_group_object(name, n) AS object FROM o GROUP BY w))";

/* UNPACKED as SQL: a number of bits is made of the bytes that can have it, the lowest first. The
 * caller frees it. */
static char *make_unpacked(void)
{
    enum { BYTES = 5 };
    struct str sql;
    str_init(&sql);
    for (const char *text = UNPACKED, *open; *text; text = strchr(open, '}') + 1) {
        open = text + strcspn(text, "{");
        str_add_n(&sql, text, (size_t)(open - text));
        if (!*open)
            break;
        const char *colon = strchr(open, ':'), *end = strchr(colon, '}');
        int at = (int)(colon - open - 1), width = (int)(end - colon - 1);
        int bytes = width == 1 && colon[1] == '1' ? 1 : BYTES;
        str_add(&sql, "((");
        for (int b = 0; b < bytes; b++)
            str_printf(&sql, "%s(instr(bytes, substr(rows, ((%.*s) >> 3) + %d, 1)) - 1 << %d)",
                       b ? " | " : "", at, open + 1, b + 1, 8 * b);
        str_printf(&sql, ") >> ((%.*s) & 7) & (1 << (%.*s)) - 1)", at, open + 1, width, colon + 1);
    }
    return str_detach(&sql);
}

/* Intervals with each of their packs, and what is needed to read it: its number of fields and
 * events, of all numbers of a row, and of rows if it is in columns; and all bytes in order. */
static const char PACKS[] =
    "(SELECT *, head + events + timed * 2 * groups AS width, instr(bytes, substr(rows, 1, 1)) - 1"
    " AS count FROM (SELECT i.*, k.kind %% 3 AS kind, k.kind >= 3 AS columns, k.timed, k.near,"
    " k.rows, s.groups, CASE k.kind %% 3 WHEN 0 THEN 4 WHEN 1 THEN 7 ELSE 12 END AS head,"
    " (SELECT count(*) FROM events e WHERE e.event_set = s.id) AS events, x'%s' AS bytes"
    " FROM intervals i JOIN event_sets s ON s.id = i.event_set"
    " JOIN task_packs k ON k.id BETWEEN i.task_first AND i.task_last)) i";

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

/* The view of tasks: those in rows, and those in packs. */
static int make_task_view(struct db *db, const char *when, struct err *err)
{
    enum { BYTES = 256 };
    char *of_rows = make_columns(
        db, COLUMNS, (const char *const[]){"CASE WHEN r.flags < 16 THEN ", " END", "r.", "", "0"},
        err);
    char *of_packs =
        make_columns(db, COLUMNS,
                     (const char *const[]){"CASE WHEN json_extract(v.value, '$.f0') < 16 THEN ",
                                           " END", "json_extract(v.value, '$.", "')", "0"},
                     err);
    struct str bytes;
    str_init(&bytes);
    for (unsigned byte = 0; byte < BYTES; byte++)
        str_printf(&bytes, "%02x", byte);
    char *packs = mem_printf(PACKS, bytes.text), *unpacked = make_unpacked();
    int result = -1;
    if (of_rows && of_packs)
        result = db_exec(
            db, err,
            "DROP VIEW IF EXISTS task_counts; CREATE VIEW task_counts AS"
            " SELECT %s, p.pid, t.tid, p.ppid, p.user, t.comm, p.comm AS process, p.cmdline,"
            " p.cgroup, r.cpu, r.flags & 1 AS exited, r.oncpu / 1e9 AS oncpu%s"
            " FROM intervals i JOIN task_rows r ON r.id BETWEEN i.task_first AND i.task_last"
            " JOIN tasks t ON t.id = r.task JOIN processes p ON p.id = t.process"
            " UNION ALL SELECT %s, CASE kind WHEN 2 THEN json_extract(v.value, '$.f4') ELSE p.pid"
            " END, coalesce(t.tid, json_extract(v.value, '$.f4')),"
            " CASE kind WHEN 2 THEN json_extract(v.value, '$.f7') ELSE p.ppid END,"
            " CASE kind WHEN 2 THEN u.text ELSE p.user END, coalesce(t.comm, x.text),"
            " CASE kind WHEN 2 THEN y.text ELSE p.comm END, p.cmdline, p.cgroup,"
            " json_extract(v.value, '$.f1'), json_extract(v.value, '$.f0') & 1,"
            " json_extract(v.value, '$.f2') / 1e9%s FROM %s JOIN json_each(%s) v"
            " LEFT JOIN tasks t ON kind = 0 AND t.id = json_extract(v.value, '$.f3')"
            " LEFT JOIN processes p ON p.id = CASE kind WHEN 0 THEN t.process WHEN 1 THEN"
            " json_extract(v.value, '$.f6') END"
            " LEFT JOIN texts x ON x.id = json_extract(v.value, '$.f5')"
            " LEFT JOIN texts u ON u.id = json_extract(v.value, '$.f9')"
            " LEFT JOIN texts y ON y.id = json_extract(v.value, '$.f10')"
            " + columns * json_extract(v.value, '$.f5')"
            " WHERE NOT json_extract(v.value, '$.f0') & %d;",
            when, of_rows, when, of_packs, packs, unpacked, ROW_SLEPT);
    free(packs);
    free(unpacked);
    free(of_rows);
    free(of_packs);
    str_release(&bytes);
    return result;
}

int schema_views(struct db *db, struct err *err)
{
    static const char when[] = "i.id AS interval, i.time, i.length / 1e9 AS seconds";
    static const char cpu_rows[] =
        "FROM intervals i JOIN cpu_rows r ON r.id BETWEEN i.cpu_first AND i.cpu_last";
    static const char *const plain[] = {"", "", "r.", "", "1"};
    char *of_cpus = make_columns(db, COLUMNS, plain, err);
    char *sums = of_cpus ? make_columns(db, SUMS, NULL, err) : NULL;
    int result = -1;
    if (sums)
        result = make_task_view(db, when, err);
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
    free(of_cpus);
    free(sums);
    return result;
}
