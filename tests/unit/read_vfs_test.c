/* Reading a file in WAL mode beside a writer: what is read stays as it was when reading began, what
 * was committed is read next, and the writer neither waits nor moves frames that are read. */
#include "record/db.h"
#include "unit/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROWS = 200 };

struct both {
    char folder[40], path[60];
    sqlite3 *writer;
    struct db *db;
    sqlite3_stmt *sum;
};

static void run(sqlite3 *handle, const char *sql)
{
    assert_int_equal(sqlite3_exec(handle, sql, NULL, NULL, NULL), SQLITE_OK);
}

static void begin(struct both *both)
{
    struct err err = {""};
    snprintf(both->folder, sizeof(both->folder), "/tmp/read_vfs.XXXXXX");
    assert_non_null(mkdtemp(both->folder));
    snprintf(both->path, sizeof(both->path), "%s/a.db", both->folder);
    assert_int_equal(sqlite3_open(both->path, &both->writer), SQLITE_OK);
    run(both->writer,
        "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;"
        "CREATE TABLE t (id INTEGER PRIMARY KEY, value INTEGER, more BLOB);"
        "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 200)"
        " INSERT INTO t SELECT x, 0, zeroblob(1000) FROM n;");
    both->db = db_open(both->path, false, &err);
    assert_string_equal(err.text, "");
    both->sum = db_prepare(both->db, "SELECT value FROM t ORDER BY id", &err);
    assert_non_null(both->sum);
}

static void end(struct both *both)
{
    static const char *const names[] = {"", "-wal", "-shm"};
    char name[80];
    sqlite3_finalize(both->sum);
    sqlite3_close(both->writer);
    db_close(both->db);
    for (size_t i = 0; i < 3; i++) {
        snprintf(name, sizeof(name), "%s%s", both->path, names[i]);
        unlink(name);
    }
    assert_int_equal(rmdir(both->folder), 0);
}

static void write_all(struct both *both, int value)
{
    char sql[60];
    snprintf(sql, sizeof(sql), "UPDATE t SET value = %d", value);
    run(both->writer, sql);
}

/* Frames of the log, and how many of them a checkpoint has moved. */
static void checkpoint(struct both *both, int mode, int result, int *frames, int *moved)
{
    assert_int_equal(sqlite3_wal_checkpoint_v2(both->writer, NULL, mode, frames, moved), result);
}

/* Reads that many rows more, each of that value. */
static void read_rows(struct both *both, int rows, int value)
{
    for (int r = 0; r < rows; r++) {
        assert_int_equal(sqlite3_step(both->sum), SQLITE_ROW);
        assert_int_equal(sqlite3_column_int(both->sum, 0), value);
    }
}

static void read_all(struct both *both, int value)
{
    read_rows(both, ROWS, value);
    assert_int_equal(sqlite3_step(both->sum), SQLITE_DONE);
    sqlite3_reset(both->sum);
}

static void test_commits_are_read_next(void **state)
{
    struct both both;
    begin(&both);
    for (int value = 0; value < 5; value++) {
        write_all(&both, value);
        read_all(&both, value);
        read_all(&both, value);
    }
    end(&both);
}

static void test_what_is_read_stays(void **state)
{
    struct both both;
    int frames, moved;
    begin(&both);
    write_all(&both, 1);
    read_rows(&both, 1, 1);
    write_all(&both, 2); /* it does not wait */
    checkpoint(&both, SQLITE_CHECKPOINT_PASSIVE, SQLITE_BUSY, &frames, &moved);
    read_rows(&both, ROWS - 1, 1);
    sqlite3_reset(both.sum);
    checkpoint(&both, SQLITE_CHECKPOINT_PASSIVE, SQLITE_OK, &frames, &moved);
    assert_int_equal(frames, moved);
    read_all(&both, 2);
    end(&both);
}

/* All frames are in the file, so the writer would begin the log again. */
static void test_the_log_that_is_read_is_not_begun_again(void **state)
{
    struct both both;
    int frames, moved, later;
    begin(&both);
    write_all(&both, 1);
    checkpoint(&both, SQLITE_CHECKPOINT_PASSIVE, SQLITE_OK, &frames, &moved);
    read_rows(&both, 1, 1);
    write_all(&both, 2);
    write_all(&both, 3);
    read_rows(&both, ROWS - 1, 1);
    sqlite3_reset(both.sum);
    checkpoint(&both, SQLITE_CHECKPOINT_PASSIVE, SQLITE_OK, &later, &moved);
    assert_true(later > frames);
    write_all(&both, 4); /* now it does */
    read_all(&both, 4);
    checkpoint(&both, SQLITE_CHECKPOINT_PASSIVE, SQLITE_OK, &frames, &moved);
    assert_true(frames < later);
    read_all(&both, 4);
    checkpoint(&both, SQLITE_CHECKPOINT_TRUNCATE, SQLITE_OK, &frames, &moved);
    read_all(&both, 4);
    write_all(&both, 5);
    read_all(&both, 5);
    end(&both);
}
