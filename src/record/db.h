/* A connection to an SQLite database: the few calls that writing and reading a recording share,
 * with messages. SQLite is known to this folder alone. */
#ifndef RECORD_DB_H
#define RECORD_DB_H

#include "base/err.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct db {
    sqlite3 *handle;
    char *name; /* of the file, for messages */
};

/* Opens the database at `path` (NULL: a new one in memory), to write, or only to read. It need not
 * be a database: what is read first tells. NULL with a message. */
struct db *db_open(const char *path, bool write, struct err *err);
/* The same for a database that is in memory as bytes, only to read; they are copied. */
struct db *db_open_bytes(const void *bytes, size_t size, struct err *err);
/* The name of the i-th file that SQLite makes beside one, which the caller frees; NULL behind the
 * last. */
char *db_beside(const char *path, size_t i);
void db_close(struct db *db); /* all statements must be finalized; NULL is fine */

/* -1 with the message `cannot WHAT 'FILE': REASON`; what: "record to", "read". */
int db_fail(const struct db *db, const char *what, struct err *err);

/* Runs statements that give no rows; made by printf, with %Q and %w of SQLite for what is quoted.
 */
int db_exec(struct db *db, struct err *err, const char *format, ...);

/* NULL with a message. The caller finalizes it. */
sqlite3_stmt *db_prepare(struct db *db, const char *sql, struct err *err);

/* The number in the only row of a query, `otherwise` where there is none. */
int64_t db_number(struct db *db, const char *sql, int64_t otherwise);

/* Texts of a statement. A text may be NULL. Columns are copied: the caller frees them. */
void db_bind_text(sqlite3_stmt *statement, int place, const char *text);
char *db_text(sqlite3_stmt *statement, int column); /* NULL where it is none */

#endif
