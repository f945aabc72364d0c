#include "record/schema.h"
#include "base/embed.h"
#include "base/mem.h"
#include "base/str.h"
#include "record/task_pack.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- tables ---- */

static const char *tables(void)
{
    return embedded_text("schema.sql");
}

/* Takes the name of the next table from the text of all, and moves *text to it; false: there are no
 * more. */
static bool next_table(const char **text, char name[32])
{
    static const char create[] = "\nCREATE TABLE IF NOT EXISTS ";
    const char *found = strstr(*text, create);
    if (found)
        *text = found + strlen(create);
    return found && sscanf(*text, "%31s", name) == 1;
}

bool schema_has_table(const char *name)
{
    char table[32];
    bool found = false;
    for (const char *text = tables(); !found && next_table(&text, table);)
        found = sqlite3_stricmp(table, name) == 0;
    return found;
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
    const char *later = strstr(tables(), "-- Recordings of earlier versions lack");
    char name[32];
    for (const char *text = tables(); next_table(&text, name);) {
        AUTO_FREE char *sql = mem_printf(
            "SELECT CASE WHEN (SELECT count(*) FROM pragma_table_xinfo('%s')) = 0 THEN 0"
            " WHEN (SELECT count(*) FROM pragma_table_xinfo('%s') WHERE hidden <> 0) = 0 AND"
            " (SELECT count(*) FROM sqlite_master WHERE type = 'table' AND rootpage > 0 AND"
            " name = '%s' COLLATE NOCASE) = 1 THEN 1 ELSE -1 END",
            name, name, name);
        int64_t plain = db_number(db, sql, -1); /* 0: it is not there */
        if (plain != 1 && (plain != 0 || text < later))
            return err_set(err, "cannot %s '%.200s': its table '%s' is missing or odd", what,
                           db->name, name);
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
    AUTO_FREE char *counts = pack_count_columns(events, groups),
                   *packs = pack_columns(events, groups, false);
    int result = add_columns(db, "cpu_rows", counts, err);
    return result < 0 ? -1 : add_columns(db, "task_packs", packs, err);
}

int schema_complete(struct db *db, struct err *err)
{
    AUTO_FREE char *loads = schema_times(kernel_times_of_cpu, CPU_TIMES);
    AUTO_FREE char *cgroups = schema_times(kernel_times_of_cgroup, CGROUP_TIMES);
    if (db_exec(db, err, "%s", tables()) < 0 || add_columns(db, "loads", loads, err) < 0 ||
        add_columns(db, "cgroup_loads", cgroups, err) < 0 ||
        add_columns(db, "profiles", "ran, alone", err) < 0) /* by elapsed time */
        return -1;
    return schema_extend(db, 0, 0, err); /* fields of packs */
}

int schema_create(struct db *db, struct err *err)
{
    if (db_exec(db, err, "BEGIN; PRAGMA application_id = %d; PRAGMA user_version = %d",
                SCHEMA_APPLICATION, SCHEMA_VERSION) < 0 ||
        schema_complete(db, err) < 0)
        return -1;
    return db_exec(db, err, "COMMIT");
}

int schema_check(struct db *db, const char *what, struct err *err)
{
    /* The first read of the file: its error says what is wrong with it. */
    if (db_number(db, "SELECT count(*) FROM sqlite_master", -1) < 0)
        return db_fail(db, what, err);
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

char *schema_times(const struct kernel_time_name *names, size_t count)
{
    struct str columns = str_new();
    for (size_t i = 0; i < count; i++)
        str_printf(&columns, ", %s", names[i].column);
    return str_detach(&columns);
}

/* ---- views ---- */

int schema_views(struct db *db, struct err *err)
{
    sqlite3_stmt *query = db_prepare(db, embedded_text("views.sql"), err);
    if (!query)
        return -1;
    AUTO_FREE char *views = sqlite3_step(query) == SQLITE_ROW ? db_text(query, 0) : NULL;
    if (!views)
        db_fail(db, "record to", err);
    sqlite3_finalize(query);
    return views ? db_exec(db, err, "%s", views) : -1;
}
