/* A connection to an SQLite database: calls that writing and reading a recording share, with
 * messages. Only this folder uses SQLite. */
#pragma once

#include "base/base.h"

#include <sqlite3.h>

/* Memory that a reader counts, since files of others decide how much it takes: that of an interval,
 * and that of functions with their code, which are kept for all intervals. */
enum db_memory { DB_INTERVAL, DB_CODE, DB_MEMORIES };
enum { DB_MEMORY_MAX = 256 << 20 }; /* bytes of each */

struct db {
    sqlite3 *handle;
    char *name;                  /* of the file, for messages */
    uint64_t taken[DB_MEMORIES]; /* bytes; DB_INTERVAL is set to 0 before each */
    struct map statements;       /* that are kept, by the addresses or hashes of their texts */
};

/* The name for sqlite3_open_v2() of the way in which a recording of others is opened
 * (sqlite.org/vfs.html): none of its files is mapped into memory, where a read of what its owner
 * has truncated would end this program, and none is made or written. SQLite makes the index of a
 * log (FILE-wal) again in memory of this process, from the log's checksummed frames, instead of
 * trusting FILE-shm. While intervals are read, locks in FILE-shm keep the recorder from moving
 * frames into the file (sqlite.org/walformat.html). They are of open descriptors; SQLite's own are
 * of a process, so a process must not write such a file and read it so, too. The first call
 * registers it; call it before threads read. NULL: no memory. */
const char *read_vfs_name(void);

/* Opens the database at `path` (NULL: a new one in memory), for writing or only reading. Does not
 * check that it is a database: the first query does. NULL with a message. */
struct db *db_open(const char *path, bool write, struct err *err);
/* The name of the i-th file that SQLite makes beside a database, which the caller frees; NULL after
 * the last. */
char *db_beside(const char *path, size_t i);
/* Finalizes all statements, and closes the database. NULL is fine. */
void db_close(struct db *db);

/* -1 with the message `cannot WHAT 'FILE': REASON`; what: "record to", "read". */
int db_fail(const struct db *db, const char *what, struct err *err);

/* Runs statements without results, formatted with SQLite's printf: %Q and %w quote. */
int db_exec(struct db *db, struct err *err, const char *format, ...);

/* Prepares a statement, which belongs to the connection; the caller may finalize it earlier. NULL
 * with a message. */
sqlite3_stmt *db_prepare(struct db *db, const char *sql, struct err *err);
/* The statement of a string constant, which is prepared at its first use, and kept; reset. NULL if
 * that fails: SQLite's calls about NULL fail, too, and db_fail() knows why. */
sqlite3_stmt *db_statement(struct db *db, const char *sql);
/* The same with a number as its first parameter. */
sqlite3_stmt *db_query(struct db *db, const char *sql, int64_t number);
/* The same for a text that was made while the program runs, and may be freed. */
sqlite3_stmt *db_made(struct db *db, const char *sql);
/* Such an INSERT INTO a table with a parameter for each of its columns: a list of names, separated
 * by commas, that is given in two parts. */
sqlite3_stmt *db_insert(struct db *db, const char *table, const char *columns, const char *more);

/* For a local `AUTO_RESET sqlite3_stmt *row = db_query(...);`: reset where its block ends. */
void db_reset_local(sqlite3_stmt **statement);
#define AUTO_RESET __attribute__((cleanup(db_reset_local)))

/* Binds a number to a parameter; DB_NULL is NULL. */
#define DB_NULL INT64_MIN
void db_bind(sqlite3_stmt *statement, int place, int64_t number);
/* Runs a statement without results; its first parameters are these numbers. False if it failed. */
bool db_run(sqlite3_stmt *statement, const int64_t *numbers, size_t count);

/* Runs an INSERT, REPLACE or UPDATE, a string constant that is prepared once. Without parameters of
 * its own it gets VALUES with one for each conversion of the format, which binds them in order: %d,
 * %jd (DB_NULL is NULL), %ju, %f, and %s, which may be NULL. False if it failed. */
bool db_put(struct db *db, const char *sql, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Reads columns of a row, from that number on, into a variable for each conversion of the format:
 * %d, %jd, %ju, %zu, %lf, and texts, which the caller frees: %ms is a copy (NULL: it is none), %mc
 * one that db_clean() has made harmless, %m[ ] the same and "" instead of NULL, %m[\n] the same in
 * which newlines stay. */
void db_columns(sqlite3_stmt *row, int column, const char *format, ...)
    __attribute__((format(scanf, 3, 4)));
/* Steps to the next row of a query while *good. False at the end; then the query is reset, and
 * *good is false if it was before, or if SQLite failed. */
bool db_next(sqlite3_stmt *query, bool *good);

/* The number that a query gives; `otherwise` if it gives none. */
int64_t db_number(struct db *db, const char *sql, int64_t otherwise);

/* Notes that memory of that kind will be used: `bytes`, and as much as the texts of a query's
 * present row take (NULL: none). Allocates nothing. False if that kind has more than DB_MEMORY_MAX
 * now, then db_excess() says so. */
bool db_take(struct db *db, enum db_memory memory, sqlite3_stmt *row, size_t bytes);
/* When more than DB_MEMORY_MAX was counted: the end of a message, which says what took it. Else
 * NULL. */
const char *db_excess(const struct db *db);

/* Cuts a text that is too long, and makes it harmless on a terminal (str_clean()); returns it. NULL
 * stays NULL. lines: except newlines. */
enum { DB_TEXT_MAX = 1 << 16 };
char *db_clean(char *text, bool lines);

/* Texts of a statement. A text may be NULL. Columns are copied: the caller frees them. */
void db_bind_text(sqlite3_stmt *statement, int place, const char *text);
char *db_text(sqlite3_stmt *statement, int column); /* NULL if it is no text */
