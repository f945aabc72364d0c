#include "record/db.h"

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
                   system                   ? err_reason(error)
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

/* An INSERT with a parameter for the first value, and one for each further sign in a text. */
static char *with_values(const char *insert, const char *text, char sign)
{
    struct str sql = str_new();
    str_printf(&sql, "%s VALUES (?", insert);
    while ((text = strchr(text + 1, sign)))
        str_add(&sql, ", ?");
    str_add(&sql, ")");
    return str_detach(&sql);
}

sqlite3_stmt *db_insert(struct db *db, const char *table, const char *columns, const char *more)
{
    AUTO_FREE char *insert = mem_printf("INSERT INTO %s (%s%s)", table, columns, more);
    AUTO_FREE char *sql = with_values(insert, insert, ',');
    return db_made(db, sql);
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
    AUTO_FREE char *text = with_values(sql, format, '%');
    return keep_statement(db, (uintptr_t)sql, text);
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

void db_reset_local(sqlite3_stmt **statement)
{
    sqlite3_reset(*statement);
}

char *db_clean(char *text, bool lines)
{
    if (text && strlen(text) > DB_TEXT_MAX)
        text[DB_TEXT_MAX] = '\0';
    if (text)
        str_clean(text, lines);
    return text;
}

/* The copy of a text that a conversion of db_columns() asks for, from the sign behind its 'm' on.
 */
static char *text_as(sqlite3_stmt *row, int column, const char *conversion)
{
    char *text = db_text(row, column);
    if (!text && *conversion == '[')
        return mem_strdup("");
    return *conversion == 's' ? text : db_clean(text, str_starts(conversion, "[\n"));
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
            *va_arg(args, char **) = text_as(row, column, sign + 2);
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

/* ---- reading without mapping or writing ---- */

/* Bytes of FILE-shm that are locked (sqlite.org/walformat.html, "WAL Locks"): nobody copies frames
 * of the log into the file, or begins the log again, while others hold these two. Who has the
 * file open holds LOCK_USED. */
enum { LOCK_CHECKPOINT = 121, LOCK_READER = 124, LOCK_USED = 128 };
/* Numbers of locks in calls of SQLite. */
enum { CALL_READER = 3 };
/* Of the index: the numbers of its header ("WAL-Index Header"), which it has twice. */
enum { IS_INIT = 3, LAST_FRAME = 4, SALT = 8, HEADER_WORDS = 12 };
enum { PARTS_MAX = 1 << 10 }; /* of the index, 32 KiB each: for a log of some 16 GiB */

/* Behind the unix VFS' own object of an open file. */
struct read_file {
    struct sqlite3_io_methods methods; /* the unix VFS' ones but for the index */
    const char *path;
    bool no_log;  /* there was none when the log was opened: an empty one is read instead */
    char **parts; /* the index */
    int count;
    int lock;                    /* descriptor of FILE-shm; -1: none */
    bool locked;                 /* LOCK_CHECKPOINT and LOCK_READER are held */
    uint32_t seen[HEADER_WORDS]; /* the header in FILE-shm when the index was made */
};

static sqlite3_vfs *vfs_below(void)
{
    return sqlite3_vfs_find("unix");
}

static struct read_file *read_file_of(sqlite3_file *file)
{
    return (struct read_file *)((char *)file + vfs_below()->szOsFile);
}

/* ---- locks ---- */

static bool set_locks(const struct read_file *own, short type)
{
    struct flock checkpoint = {.l_type = type, .l_start = LOCK_CHECKPOINT, .l_len = 1};
    struct flock reader = {.l_type = type, .l_start = LOCK_READER, .l_len = 1};
    return own->lock < 0 || (fcntl(own->lock, F_OFD_SETLK, &checkpoint) == 0 &&
                             fcntl(own->lock, F_OFD_SETLK, &reader) == 0);
}

static void read_vfs_unlock(struct read_file *own)
{
    set_locks(own, F_UNLCK);
    own->locked = false;
}

/* The header in FILE-shm; zeros if nobody else has the recording open as SQLite does, and keeps it
 * up to date. */
static void read_header(const struct read_file *own, uint32_t header[HEADER_WORDS])
{
    enum { SIZE = HEADER_WORDS * sizeof(*header) };
    struct flock used = {.l_type = F_WRLCK, .l_start = LOCK_USED, .l_len = 1};
    if (own->lock < 0 || fcntl(own->lock, F_OFD_GETLK, &used) < 0 || used.l_type == F_UNLCK ||
        pread(own->lock, header, SIZE, 0) != SIZE)
        memset(header, 0, SIZE);
}

/* Opens FILE-shm, if there is one: to lock it, and for its header. False if the recording must not
 * be read: it can be written without our knowing. */
static bool open_lock(struct read_file *own)
{
    AUTO_FREE char *log = mem_printf("%s-wal", own->path), *index = mem_printf("%s-shm", own->path);
    bool good = !own->no_log || access(log, F_OK) < 0;
    if (own->lock < 0)
        own->lock = open(index, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    return good && (own->lock >= 0 || errno == ENOENT);
}

/* Locks, and forgets the index if the log has grown since it was made. Returns SQLite's code. */
static int read_vfs_lock(struct read_file *own)
{
    uint32_t now[HEADER_WORDS];
    if (own->locked)
        return SQLITE_OK;
    bool good = open_lock(own);
    own->locked = good && set_locks(own, F_RDLCK);
    read_header(own, now);
    if (!own->locked || memcmp(now, own->seen, sizeof(now)) != 0)
        memset(own->parts[0], 0, 2 * sizeof(now));
    memcpy(own->seen, now, sizeof(now));
    if (!own->locked)
        read_vfs_unlock(own);
    return own->locked ? SQLITE_OK : good ? SQLITE_BUSY : SQLITE_PROTOCOL;
}

/* Whether frames of the log that the index names stay as they are. The writer may have begun the
 * log again and not yet written to it, or not yet told of the last ones. */
static bool is_settled(const struct read_file *own)
{
    const uint32_t *index = (const uint32_t *)own->parts[0];
    uint32_t now[HEADER_WORDS];
    read_header(own, now);
    return index[LAST_FRAME] == 0 || now[IS_INIT] == 0 ||
           (memcmp(&index[SALT], &now[SALT], 2 * sizeof(*now)) == 0 &&
            index[LAST_FRAME] <= now[LAST_FRAME]);
}

/* ---- calls of SQLite about the index ---- */

static int read_vfs_map(sqlite3_file *file, int part, int size, int extend UNUSED,
                        void volatile **out)
{
    struct read_file *own = read_file_of(file);
    if (part >= PARTS_MAX)
        return SQLITE_FULL;
    for (; own->count <= part; own->count++) {
        if (!own->parts)
            own->parts = mem_array(PARTS_MAX, sizeof(*own->parts));
        own->parts[own->count] = mem_alloc((size_t)size);
    }
    *out = own->parts[part];
    return SQLITE_OK;
}

/* The index is of this process alone, so its locks are always free. */
static int read_vfs_set_lock(sqlite3_file *file, int number, int count, int flags)
{
    struct read_file *own = read_file_of(file);
    bool reader = number >= CALL_READER && count == 1 && (flags & SQLITE_SHM_SHARED);
    if (flags & SQLITE_SHM_UNLOCK) {
        if (reader)
            read_vfs_unlock(own);
        return SQLITE_OK;
    }
    int result = read_vfs_lock(own);
    if (result != SQLITE_OK || !reader || is_settled(own))
        return result;
    memset(own->seen, 0xff, sizeof(own->seen)); /* to be made again */
    read_vfs_unlock(own);
    return SQLITE_BUSY;
}

/* SQLite calls it between its two reads of the header of the index, which must be equal. */
static void read_vfs_barrier(sqlite3_file *file)
{
    struct read_file *own = read_file_of(file);
    if (own->count > 0)
        read_vfs_lock(own);
}

static int read_vfs_unmap(sqlite3_file *file, int remove UNUSED)
{
    struct read_file *own = read_file_of(file);
    for (int part = 0; part < own->count; part++)
        free(own->parts[part]);
    free(own->parts);
    own->parts = NULL;
    own->count = 0;
    file_close(own->lock);
    own->lock = -1;
    own->locked = false;
    return SQLITE_OK;
}

static int read_vfs_open(sqlite3_vfs *vfs UNUSED, const char *path, sqlite3_file *file, int flags,
                         int *opened)
{
    struct read_file *own = read_file_of(file);
    if (flags & SQLITE_OPEN_WAL) { /* only for reading, and an empty file where there is none */
        bool none = access(path, F_OK) < 0;
        read_file_of(sqlite3_database_file_object(path))->no_log = none;
        return vfs_below()->xOpen(vfs_below(), none ? "/dev/null" : path, file,
                                  SQLITE_OPEN_WAL | SQLITE_OPEN_READONLY, opened);
    }
    int result = vfs_below()->xOpen(vfs_below(), path, file, flags, opened);
    if (result != SQLITE_OK || !(flags & SQLITE_OPEN_MAIN_DB))
        return result;
    *own = (struct read_file){.methods = *file->pMethods, .path = path, .lock = -1};
    own->methods.iVersion = 2; /* so it cannot be mapped */
    own->methods.xShmMap = read_vfs_map;
    own->methods.xShmLock = read_vfs_set_lock;
    own->methods.xShmBarrier = read_vfs_barrier;
    own->methods.xShmUnmap = read_vfs_unmap;
    file->pMethods = &own->methods;
    return result;
}

const char *read_vfs_name(void)
{
    static const char NAME[] = "countertop-read";
    if (sqlite3_initialize() != SQLITE_OK || sqlite3_vfs_find(NAME))
        return sqlite3_vfs_find(NAME) ? NAME : NULL;
    sqlite3_vfs *vfs = mem_alloc(sizeof(*vfs)); /* SQLite keeps it until the end */
    *vfs = *vfs_below();
    vfs->zName = NAME;
    vfs->szOsFile += (int)sizeof(struct read_file);
    vfs->xOpen = read_vfs_open;
    return sqlite3_vfs_register(vfs, 0) == SQLITE_OK ? NAME : NULL;
}
