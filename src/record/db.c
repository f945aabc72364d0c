#include "record/db.h"
#include "base/mem.h"
#include "base/str.h"

#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { BUSY_MS = 1000 };      /* wait this long for another reader or a checkpoint */
enum { HEAP_MAX = 64 << 20 }; /* bytes that SQLite may take in a program that reads a file */

/* The file is not trusted: sizes that countertop never needs are refused before they cost anything
 * (sqlite.org/security.html). */
static void set_limits(sqlite3 *handle)
{
    static const struct {
        int what, most;
    } limits[] = {
        {SQLITE_LIMIT_LENGTH, 4 << 20},
        {SQLITE_LIMIT_SQL_LENGTH, 4 << 20},
        {SQLITE_LIMIT_COLUMN, 2000},
        {SQLITE_LIMIT_EXPR_DEPTH, 1000},
        {SQLITE_LIMIT_COMPOUND_SELECT, 10},
        {SQLITE_LIMIT_VDBE_OP, 100000},
        {SQLITE_LIMIT_FUNCTION_ARG, 20},
        {SQLITE_LIMIT_ATTACHED, 0},
        {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 50},
        {SQLITE_LIMIT_TRIGGER_DEPTH, 1},
        {SQLITE_LIMIT_WORKER_THREADS, 0},
    };
    for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++)
        sqlite3_limit(handle, limits[i].what, limits[i].most);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
}

char *db_beside(const char *path, size_t i)
{
    static const char *const endings[] = {"-wal", "-shm", "-journal"};
    return i < sizeof(endings) / sizeof(*endings) ? mem_printf("%s%s", path, endings[i]) : NULL;
}

struct db *db_open(const char *path, bool write, struct err *err)
{
    size_t beside = 0;
    for (char *name = path ? mem_strdup(path) : NULL; name; name = db_beside(path, beside++)) {
        /* On a named pipe SQLite would wait for the other end. */
        struct stat status;
        bool refused = stat(name, &status) == 0 && !S_ISREG(status.st_mode);
        if (refused)
            err_set(err, "cannot %s '%.200s': it is no regular file", write ? "record to" : "read",
                    name);
        free(name);
        if (refused)
            return NULL;
    }
    struct db *db = mem_alloc(sizeof(*db));
    db->name = mem_strdup(path ? path : "memory");
    /* A name that begins with a colon has a special meaning in SQLite. */
    AUTO_FREE char *file =
        mem_printf("%s%s", path && *path && *path != '/' ? "./" : "", path ? path : ":memory:");
    bool own = write || !path;
    const char *vfs = own ? NULL : read_vfs_name();
    int flags = (own ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY) | SQLITE_OPEN_NOMUTEX;
    /* By the name NULL SQLite would open it as our own. */
    int result = own || vfs ? sqlite3_open_v2(file, &db->handle, flags, vfs) : SQLITE_NOMEM;
    if (result != SQLITE_OK) {
        db_fail(db, write ? "record to" : "read", err);
        db_close(db);
        return NULL;
    }
    if (!own)
        sqlite3_hard_heap_limit64(HEAP_MAX);
    sqlite3_busy_timeout(db->handle, BUSY_MS);
    set_limits(db->handle);
    return db;
}

void db_close(struct db *db)
{
    if (!db)
        return;
    /* Without memory sqlite3_open_v2() gives no handle, and sqlite3_next_stmt() crashes on NULL. */
    for (sqlite3_stmt *statement; db->handle && (statement = sqlite3_next_stmt(db->handle, NULL));)
        sqlite3_finalize(statement);
    sqlite3_close(db->handle);
    map_release(&db->statements);
    free(db->name);
    free(db);
}

/* sqlite3_system_errno() misses what a commit meets: the last errno of the database's file or of
 * its journal. */
static int system_error(sqlite3 *handle)
{
    static const int files[] = {SQLITE_FCNTL_FILE_POINTER, SQLITE_FCNTL_JOURNAL_POINTER};
    int error = sqlite3_system_errno(handle);
    for (size_t i = 0; i < sizeof(files) / sizeof(*files) && !error; i++) {
        sqlite3_file *file = NULL;
        if (sqlite3_file_control(handle, "main", files[i], &file) == SQLITE_OK && file->pMethods &&
            file->pMethods->xFileControl) /* a journal in memory has none */
            file->pMethods->xFileControl(file, SQLITE_FCNTL_LAST_ERRNO, &error);
    }
    return error;
}

int db_fail(const struct db *db, const char *what, struct err *err)
{
    int code = sqlite3_errcode(db->handle); /* "out of memory" if there is no handle */
    int error = db->handle ? system_error(db->handle) : 0;
    bool system = error && (code == SQLITE_IOERR || code == SQLITE_CANTOPEN);
    bool limited = db->handle && sqlite3_hard_heap_limit64(-1) > 0;
    return err_set(err, "cannot %s '%.200s': %s", what, db->name,
                   system                   ? strerror(error)
                   : code == SQLITE_FULL    ? "no space left"
                   : code == SQLITE_CORRUPT ? "it is damaged"
                   : code == SQLITE_NOMEM && limited
                       ? "its tables take more memory than SQLite's 64 MiB"
                   : code == SQLITE_PROTOCOL ? "another program is writing it: try again"
                   : code == SQLITE_NOTADB   ? "it is no recording"
                                             : sqlite3_errmsg(db->handle));
}

int db_exec(struct db *db, struct err *err, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *sql = sqlite3_vmprintf(format, args);
    va_end(args);
    int result = sql ? sqlite3_exec(db->handle, sql, NULL, NULL, NULL) : SQLITE_NOMEM;
    sqlite3_free(sql);
    return result == SQLITE_OK ? 0 : db_fail(db, "record to", err);
}

sqlite3_stmt *db_prepare(struct db *db, const char *sql, struct err *err)
{
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v3(db->handle, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL) ==
        SQLITE_OK)
        return statement;
    db_fail(db, sqlite3_db_readonly(db->handle, "main") == 1 ? "read" : "record to", err);
    return NULL;
}

/* The statement with that key, which is prepared if there is none; reset. */
static sqlite3_stmt *keep_statement(struct db *db, uint64_t key, const char *sql)
{
    sqlite3_stmt *statement = map_get(&db->statements, key);
    if (!statement && (statement = db_prepare(db, sql, NULL)))
        map_put(&db->statements, key, statement);
    sqlite3_reset(statement);
    return statement;
}

sqlite3_stmt *db_statement(struct db *db, const char *sql)
{
    return keep_statement(db, (uintptr_t)sql, sql);
}

sqlite3_stmt *db_made(struct db *db, const char *sql)
{
    return keep_statement(db, str_hash(sql), sql);
}

sqlite3_stmt *db_query(struct db *db, const char *sql, int64_t number)
{
    sqlite3_stmt *statement = db_statement(db, sql);
    sqlite3_bind_int64(statement, 1, number);
    return statement;
}

sqlite3_stmt *db_insert(struct db *db, const char *table, const char *columns, const char *more)
{
    AUTO_STR struct str sql = str_new();
    size_t commas = 0;
    str_printf(&sql, "INSERT INTO %s (%s%s) VALUES (?", table, columns, more);
    for (const char *rest = sql.text; (rest = strchr(rest, ',')); rest++)
        commas++;
    while (commas-- > 0)
        str_add(&sql, ", ?");
    str_add(&sql, ")");
    return db_made(db, sql.text);
}

void db_bind(sqlite3_stmt *statement, int place, int64_t number)
{
    if (number == DB_NULL)
        sqlite3_bind_null(statement, place);
    else
        sqlite3_bind_int64(statement, place, number);
}

bool db_run(sqlite3_stmt *statement, const int64_t *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        db_bind(statement, (int)i + 1, numbers[i]);
    bool done = sqlite3_step(statement) == SQLITE_DONE;
    sqlite3_reset(statement);
    return done;
}

static sqlite3_stmt *put_statement(struct db *db, const char *sql, const char *format)
{
    if (strchr(sql, '?') || map_get(&db->statements, (uintptr_t)sql))
        return db_statement(db, sql);
    AUTO_STR struct str text = str_new();
    str_printf(&text, "%s VALUES (?", sql);
    for (const char *sign = format; (sign = strchr(sign + 1, '%'));)
        str_add(&text, ", ?");
    str_add(&text, ")");
    return keep_statement(db, (uintptr_t)sql, text.text);
}

bool db_put(struct db *db, const char *sql, const char *format, ...)
{
    sqlite3_stmt *statement = put_statement(db, sql, format);
    int place = 0;
    va_list args;
    va_start(args, format);
    for (const char *sign = format; (sign = strchr(sign, '%')); sign++)
        switch (sign[1]) {
        case 'd':
            sqlite3_bind_int(statement, ++place, va_arg(args, int));
            break;
        case 'f':
            sqlite3_bind_double(statement, ++place, va_arg(args, double));
            break;
        case 's':
            db_bind_text(statement, ++place, va_arg(args, const char *));
            break;
        default:
            db_bind(statement, ++place, (int64_t)va_arg(args, intmax_t));
        }
    va_end(args);
    return db_run(statement, NULL, 0);
}

void db_columns(sqlite3_stmt *row, int column, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    for (const char *sign = format; (sign = strchr(sign, '%')); sign++, column++)
        switch (sign[1]) {
        case 'd':
            *va_arg(args, int *) = sqlite3_column_int(row, column);
            break;
        case 'l':
            *va_arg(args, double *) = sqlite3_column_double(row, column);
            break;
        case 'm':
            *va_arg(args, char **) = db_text(row, column);
            break;
        case 'z':
            *va_arg(args, size_t *) = (size_t)sqlite3_column_int64(row, column);
            break;
        default:
            *va_arg(args, intmax_t *) = sqlite3_column_int64(row, column);
        }
    va_end(args);
}

bool db_next(sqlite3_stmt *query, bool *good)
{
    int result = *good ? sqlite3_step(query) : SQLITE_DONE;
    if (result == SQLITE_ROW)
        return true;
    *good = *good && result == SQLITE_DONE;
    sqlite3_reset(query);
    return false;
}

int64_t db_number(struct db *db, const char *sql, int64_t otherwise)
{
    sqlite3_stmt *statement;
    int64_t number = otherwise;
    if (sqlite3_prepare_v2(db->handle, sql, -1, &statement, NULL) != SQLITE_OK)
        return otherwise;
    if (sqlite3_step(statement) == SQLITE_ROW &&
        sqlite3_column_type(statement, 0) == SQLITE_INTEGER)
        number = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return number;
}

bool db_take(struct db *db, enum db_memory memory, sqlite3_stmt *row, size_t bytes)
{
    for (int c = 0; c < sqlite3_column_count(row); c++)
        if (sqlite3_column_type(row, c) == SQLITE_TEXT)
            bytes += (size_t)sqlite3_column_bytes(row, c) + 1;
    db->taken[memory] += bytes;
    return db->taken[memory] <= DB_MEMORY_MAX;
}

const char *db_excess(const struct db *db)
{
    static const char *const texts[DB_MEMORIES] = {
        [DB_INTERVAL] = "it takes more than 256 MiB of memory",
        [DB_CODE] = "functions and their code take more than 256 MiB of memory"};
    for (size_t m = 0; m < DB_MEMORIES; m++)
        if (db->taken[m] > DB_MEMORY_MAX)
            return texts[m];
    return NULL;
}

void db_bind_text(sqlite3_stmt *statement, int place, const char *text)
{
    if (text)
        sqlite3_bind_text(statement, place, text, -1, SQLITE_STATIC);
    else
        sqlite3_bind_null(statement, place);
}

char *db_text(sqlite3_stmt *statement, int column)
{
    if (sqlite3_column_type(statement, column) != SQLITE_TEXT)
        return NULL;
    const char *text = (const char *)sqlite3_column_text(statement, column);
    return text ? mem_strdup(text) : NULL;
}
