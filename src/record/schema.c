#include "record/schema.h"
#include "base/embed.h"

/* ---- tables ---- */

static const char *tables(void)
{
    return embedded_text("schema.sql");
}

/* Takes the name of the next table from the text of all, and moves *text to it; false: there are no
 * more. */
static bool next_table(const char **text, char name[32])
{
    static const char create[] = "\nCREATE TABLE ";
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
    char name[32];
    for (const char *text = tables(); next_table(&text, name);) {
        AUTO_FREE char *sql = mem_printf(
            "SELECT (SELECT count(*) FROM pragma_table_xinfo('%s') WHERE hidden <> 0) = 0 AND"
            " (SELECT count(*) FROM sqlite_master WHERE type = 'table' AND rootpage > 0 AND"
            " name = '%s' COLLATE NOCASE) = 1",
            name, name);
        if (db_number(db, sql, 0) != 1)
            return err_set(err, "cannot %s '%.200s': its table '%s' is missing or odd", what,
                           db->name, name);
    }
    return 0;
}

/* The text that a query gives; NULL with a message. The caller frees it. */
static char *query_text(struct db *db, const char *sql, struct err *err)
{
    sqlite3_stmt *query = db_prepare(db, sql, err);
    char *text = query && sqlite3_step(query) == SQLITE_ROW ? db_text(query, 0) : NULL;
    if (query && !text)
        db_fail(db, "record to", err);
    sqlite3_finalize(query);
    return text;
}

static bool has_word(const char *text, const char *word)
{
    size_t length = strlen(word);
    const char *found = strstr(text, word);
    while (found && ((found > text && !strchr(" (", found[-1])) || !strchr(" ,", found[length])))
        found = strstr(found + 1, word);
    return found;
}

/* Adds the columns of a list, separated by commas, that a table does not have yet; they have no
 * type, and keep what is written as it is. An empty table is made anew with all of them: SQLite
 * reads the whole schema again for each column that it adds. */
static int add_columns(struct db *db, const char *table, const char *list, struct err *err)
{
    AUTO_FREE char *query =
        mem_printf("SELECT group_concat(name, ', ') FROM pragma_table_info('%s')", table);
    AUTO_FREE char *there = query_text(db, query, err);
    if (!there)
        return -1;
    AUTO_FREE char *rows = mem_printf("SELECT EXISTS (SELECT 1 FROM %s)", table);
    AUTO_FREE char *names = mem_printf("%s, %s", there, list);
    AUTO_FREE char *head = mem_printf("CREATE TABLE %s (", table);
    const char *found = strstr(tables(), head);
    AUTO_FREE char *create = mem_strndup(found, (size_t)(strchr(found, ';') - found));
    AUTO_STR struct str columns = str_new();
    bool empty = !db_number(db, rows, 1), more = false;
    int result = 0;
    for (char *rest = names, *name; result == 0 && (name = strsep(&rest, ", "));) {
        if (!*name || has_word(create, name) || has_word(columns.text, name))
            continue;
        bool lacks = !has_word(there, name);
        str_printf(&columns, ", %s", name);
        more |= lacks;
        if (lacks && !empty)
            result = db_exec(db, err, "ALTER TABLE %s ADD COLUMN %s", table, name);
    }
    const char *key = strstr(create, ", PRIMARY KEY ("), *end = key ? key : strrchr(create, ')');
    if (!more || !empty)
        return result;
    return db_exec(db, err, "DROP TABLE %s; %.*s%s%s", table, (int)(end - create), create,
                   columns.text, end);
}

int schema_extend(struct db *db, size_t events, size_t groups, struct err *err)
{
    AUTO_FREE char *counts = pack_count_columns(events, groups),
                   *packs = pack_columns(events, groups);
    return add_columns(db, "cpu_rows", counts, err)
               ?: add_columns(db, "task_packs", packs, err)
               ?: add_columns(db, "sessions", "screen", err);
}

int schema_create(struct db *db, struct err *err)
{
    AUTO_FREE char *loads = schema_times(kernel_times_of_cpu, CPU_TIMES);
    AUTO_FREE char *cgroups = schema_times(kernel_times_of_cgroup, CGROUP_TIMES);
    if (db_exec(db, err, "BEGIN; PRAGMA application_id = %d; PRAGMA user_version = %d; %s",
                SCHEMA_APPLICATION, SCHEMA_VERSION, tables()) < 0 ||
        add_columns(db, "loads", loads, err) < 0 ||
        add_columns(db, "cgroup_loads", cgroups, err) < 0 ||
        schema_extend(db, 0, 0, err) < 0) /* fields of packs */
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
    AUTO_FREE char *views = query_text(db, embedded_text("views.sql"), err);
    return views ? db_exec(db, err, "%s", views) : -1;
}

/* ---- packs ---- */

enum { NONE = -1 };

static const char *const fields[PACK_FIELDS] = {
    [PACK_FLAGS] = "flags",
    [PACK_CPU] = "cpu",
    [PACK_ONCPU] = "oncpu",
    [PACK_TASK] = "task",
    [PACK_IDENT] = "ident",
    [PACK_TID] = "tid",
    [PACK_COMM] = "comm",
    [PACK_PROCESS] = "process",
    [PACK_PROCESS_IDENT] = "process_ident",
    [PACK_PPID] = "ppid",
    [PACK_UID] = "uid",
    [PACK_USER] = "user",
    [PACK_PROCESS_COMM] = "process_comm",
    [PACK_COMMAND] = "command",
    [PACK_CGROUP] = "cgroup",
};

/* ---- columns ---- */

/* The column further left to whose numbers those of a column may be differences; NONE: there is
 * none. Counts may be near to those of the first event, and these to the time on a CPU, as those of
 * clocks are. The time in which a group was enabled is near to that on a CPU, and that in which it
 * was running to the one in which it was enabled. record/views.sql says the same. */
static int reference_of(size_t column, size_t events)
{
    size_t event = column - PACK_FIELDS;
    if (column < PACK_FIELDS)
        return column == PACK_PROCESS_IDENT  ? PACK_IDENT
               : column == PACK_PROCESS_COMM ? PACK_COMM
                                             : NONE;
    if (event >= events)
        return (event - events) % 2 ? (int)column - 1 : PACK_ONCPU;
    return event >= PACK_NEAR_MAX ? NONE : event ? PACK_FIELDS : PACK_ONCPU;
}

/* The bit of `near` that says whether the numbers of a column are differences; 0: it has none. */
static int64_t near_bit(const struct pack *pack, size_t column)
{
    size_t event = column - PACK_FIELDS;
    bool has = column >= PACK_FIELDS && event < pack->events && event < PACK_NEAR_MAX;
    return has ? (int64_t)1 << event : 0;
}

static uint64_t *numbers_of(const struct pack *pack, size_t column)
{
    return pack->numbers + column * PACK_ROWS;
}

int64_t pack_field(const struct pack *pack, enum pack_field field, size_t row)
{
    return (int64_t)numbers_of(pack, field)[row];
}

/* Whether the tasks of a pack have numbers in a column. */
static bool has_column(const struct pack *pack, size_t column)
{
    if (column >= PACK_FIELDS + pack->events)
        return pack->timed;
    return column >= PACK_FIELDS || pack_field(pack, (enum pack_field)column, 0) != PACK_ABSENT;
}

/* The numbers that those of a column are written as differences to; NULL: none. */
static const uint64_t *base_of(const struct pack *pack, size_t column)
{
    int reference = reference_of(column, pack->events);
    int64_t bit = near_bit(pack, column);
    bool near = reference != NONE && (!bit || pack->near & bit);
    return near ? numbers_of(pack, (size_t)reference) : NULL;
}

/* ---- numbers ---- */

static size_t width_of(uint64_t number)
{
    enum { NARROW_MAX = 4 };
    size_t width = 0;
    while (width < NARROW_MAX && number >> 8 * width)
        width++;
    return number >> 8 * NARROW_MAX ? sizeof(number) : width;
}

/* Reduces the numbers of a column by those of its base, if any, and then by the least one. What is
 * left is in `more`; returns the bytes that the largest needs. Differences wrap, so any two numbers
 * have one. */
static size_t reduce(const struct pack *pack, size_t column, int64_t *least,
                     uint64_t more[PACK_ROWS])
{
    const uint64_t *numbers = numbers_of(pack, column), *base = base_of(pack, column);
    uint64_t most = 0;
    *least = INT64_MAX;
    for (size_t r = 0; r < pack->rows; r++) {
        more[r] = numbers[r] - (base ? base[r] : 0);
        *least = (int64_t)more[r] < *least ? (int64_t)more[r] : *least;
    }
    for (size_t r = 0; r < pack->rows; r++)
        most |= more[r] -= (uint64_t)*least;
    return width_of(most);
}

void pack_begin(struct pack *pack, const struct event_set *set)
{
    pack->rows = 0;
    pack->events = set->count;
    pack->columns = PACK_FIELDS + set->count + 2 * set->groups;
    mem_grow(&pack->numbers, &pack->room, pack->columns * PACK_ROWS, sizeof(*pack->numbers));
}

void pack_release(struct pack *pack)
{
    free(pack->numbers);
    *pack = (struct pack){0};
}

void pack_add(struct pack *pack, const int64_t field[PACK_FIELDS], const struct counts *counts)
{
    uint64_t *next = pack->numbers + pack->rows++;
    for (size_t f = 0; f < PACK_FIELDS; f++, next += PACK_ROWS)
        *next = (uint64_t)field[f];
    for (size_t e = 0; e < pack->events; e++, next += PACK_ROWS)
        *next = counts->value[e];
    for (size_t g = 0; g < (pack->columns - PACK_FIELDS - pack->events) / 2; g++) {
        next[0] = counts->times[g].enabled;
        next[PACK_ROWS] = counts->times[g].running;
        next += 2 * PACK_ROWS;
    }
}

void pack_counts(const struct pack *pack, size_t row, const struct event_set *set,
                 struct counts *counts)
{
    for (size_t e = 0; e < set->count; e++)
        counts->value[e] = numbers_of(pack, PACK_FIELDS + e)[row];
    for (size_t g = 0; g < set->groups; g++) {
        size_t enabled = pack->timed ? PACK_FIELDS + set->count + 2 * g : PACK_ONCPU;
        counts->times[g].enabled = numbers_of(pack, enabled)[row];
        counts->times[g].running = numbers_of(pack, enabled + pack->timed)[row];
    }
}

/* ---- rows of the table ---- */

enum { AFTER_ID = 1, NEAR, COLUMNS }; /* places in a row, from 0: number of tasks, `near`, ... */

char *pack_count_columns(size_t events, size_t groups)
{
    struct str columns = str_new();
    for (size_t e = 0; e < events; e++)
        str_printf(&columns, ", c%zu", e);
    for (size_t g = 0; g < groups; g++)
        str_printf(&columns, ", e%zu, r%zu", g, g);
    return str_detach(&columns);
}

char *pack_columns(size_t events, size_t groups)
{
    struct str sql = str_new();
    str_add(&sql, "tasks, near");
    for (size_t f = 0; f < PACK_FIELDS; f++)
        str_printf(&sql, ", %s, %s_more", fields[f], fields[f]);
    for (size_t e = 0; e < events; e++)
        str_printf(&sql, ", c%zu, c%zu_more", e, e);
    for (size_t g = 0; g < groups; g++)
        str_printf(&sql, ", e%zu, e%zu_more, r%zu, r%zu_more", g, g, g, g);
    return str_detach(&sql);
}

bool pack_write(struct pack *pack, sqlite3_stmt *insert, int64_t id)
{
    uint64_t more[PACK_ROWS];
    int64_t least;
    AUTO_FREE unsigned char *bytes = mem_array(pack->columns, sizeof(more));
    unsigned char *next = bytes;
    pack->near = 0;
    for (size_t c = 0; c < pack->columns; c++) {
        int place = 1 + COLUMNS + 2 * (int)c;
        bool has = has_column(pack, c);
        int64_t bit = near_bit(pack, c);
        size_t width = reduce(pack, c, &least, more);
        if (bit && width > 0) {
            pack->near |= bit;
            if (reduce(pack, c, &least, more) >= width)
                pack->near &= ~bit;
            width = reduce(pack, c, &least, more);
        }
        if (has)
            sqlite3_bind_int64(insert, place, least);
        else
            sqlite3_bind_null(insert, place);
        if (has && width > 0)
            sqlite3_bind_blob(insert, place + 1, next, (int)(width * pack->rows), SQLITE_STATIC);
        else
            sqlite3_bind_null(insert, place + 1);
        for (size_t r = 0; r < pack->rows; r++)
            for (size_t b = width; b-- > 0;)
                *next++ = (unsigned char)(more[r] >> 8 * b);
    }
    sqlite3_bind_int64(insert, 1, id);
    sqlite3_bind_int64(insert, 1 + AFTER_ID, (int64_t)pack->rows);
    sqlite3_bind_int64(insert, 1 + NEAR, pack->near);
    bool done = sqlite3_step(insert) == SQLITE_DONE;
    sqlite3_reset(insert);
    return done;
}

/* Reads the numbers of a column; false if its bytes are not those of so many tasks. */
static bool read_column(struct pack *pack, size_t c, sqlite3_stmt *row)
{
    int place = COLUMNS + 2 * (int)c;
    const unsigned char *bytes = sqlite3_column_blob(row, place + 1);
    size_t size = (size_t)sqlite3_column_bytes(row, place + 1), width = size / pack->rows;
    bool absent = c < PACK_FIELDS && sqlite3_column_type(row, place) == SQLITE_NULL;
    uint64_t least = (uint64_t)sqlite3_column_int64(row, place), *numbers = numbers_of(pack, c);
    const uint64_t *base = base_of(pack, c);
    if (width * pack->rows != size || width > sizeof(*numbers))
        return false;
    for (size_t r = 0; r < pack->rows; r++) {
        uint64_t more = 0;
        for (size_t b = 0; b < width; b++)
            more = more << 8 | *bytes++;
        numbers[r] = absent ? (uint64_t)PACK_ABSENT : least + more + (base ? base[r] : 0);
    }
    return true;
}

bool pack_read(struct pack *pack, sqlite3_stmt *row, const struct event_set *set)
{
    int64_t rows = sqlite3_column_int64(row, AFTER_ID);
    bool good = rows >= 1 && rows <= PACK_ROWS;
    pack_begin(pack, set);
    pack->rows = good ? (size_t)rows : 0;
    pack->near = sqlite3_column_int64(row, NEAR);
    int times = COLUMNS + 2 * (int)(PACK_FIELDS + set->count);
    pack->timed = set->groups && sqlite3_column_type(row, times) != SQLITE_NULL;
    for (size_t c = 0; c < pack->columns && good; c++)
        good = read_column(pack, c, row);
    return good;
}
