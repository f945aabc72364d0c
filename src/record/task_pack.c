#include "record/task_pack.h"
#include "base/mem.h"

#include <stdlib.h>

enum { NONE = -1 };

/* A number of tasks. */
struct pack_column {
    const char *name; /* NULL: a letter and a number, as add_name() says */
    int reference;    /* the column further left that it may be written as the difference to */
    int event;        /* ... only where `near` has this event's bit; NONE: always */
};

static const struct pack_column fields[PACK_FIELDS] = {
    [PACK_FLAGS] = {"flags", NONE, NONE},
    [PACK_CPU] = {"cpu", NONE, NONE},
    [PACK_ONCPU] = {"oncpu", NONE, NONE},
    [PACK_TASK] = {"task", NONE, NONE},
    [PACK_IDENT] = {"ident", NONE, NONE},
    [PACK_TID] = {"tid", NONE, NONE},
    [PACK_COMM] = {"comm", NONE, NONE},
    [PACK_PROCESS] = {"process", NONE, NONE},
    [PACK_PROCESS_IDENT] = {"process_ident", PACK_IDENT, NONE},
    [PACK_PPID] = {"ppid", NONE, NONE},
    [PACK_UID] = {"uid", NONE, NONE},
    [PACK_USER] = {"user", NONE, NONE},
    [PACK_PROCESS_COMM] = {"process_comm", PACK_COMM, NONE},
    [PACK_COMMAND] = {"command", NONE, NONE},
    [PACK_CGROUP] = {"cgroup", NONE, NONE},
};

/* ---- columns ---- */

/* Counts may be near to those of the first event, and these to the time on a CPU, as those of
 * clocks are. The time in which a group was enabled is near to that on a CPU, and that in which it
 * was running to the one in which it was enabled. */
static struct pack_column column_of(size_t column, size_t events)
{
    if (column < PACK_FIELDS)
        return fields[column];
    size_t event = column - PACK_FIELDS;
    if (event >= events)
        return (struct pack_column){NULL, (event - events) % 2 ? (int)column - 1 : PACK_ONCPU,
                                    NONE};
    if (event >= PACK_NEAR_MAX)
        return (struct pack_column){NULL, NONE, NONE};
    return (struct pack_column){NULL, event ? PACK_FIELDS : PACK_ONCPU, (int)event};
}

/* Adds the name of a column; counts and times are called as in cpu_rows. */
static void add_name(struct str *sql, size_t column, size_t events)
{
    if (column < PACK_FIELDS)
        str_add(sql, fields[column].name);
    else if (column < PACK_FIELDS + events)
        str_printf(sql, "c%zu", column - PACK_FIELDS);
    else
        str_printf(sql, "%c%zu", (column - PACK_FIELDS - events) % 2 ? 'r' : 'e',
                   (column - PACK_FIELDS - events) / 2);
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
static const uint64_t *base_of(const struct pack *pack, const struct pack_column *column)
{
    bool near =
        column->reference != NONE && (column->event == NONE || pack->near >> column->event & 1);
    return near ? numbers_of(pack, (size_t)column->reference) : NULL;
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

/* Reduces numbers by those of the base, if any, and then by the least one. What is left is in
 * `more`; returns the bytes that the largest needs. Differences wrap, so any two numbers have one.
 */
static size_t reduce(const struct pack *pack, const uint64_t *numbers, const uint64_t *base,
                     int64_t *least, uint64_t more[PACK_ROWS])
{
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

char *pack_columns(size_t events, size_t groups, bool old)
{
    struct str sql = str_new();
    str_add(&sql, "tasks, near");
    for (size_t c = 0; c < PACK_FIELDS + events + 2 * groups; c++) {
        str_add(&sql, ", ");
        if (old && c == PACK_CGROUP) {
            str_add(&sql, "NULL, NULL");
            continue;
        }
        add_name(&sql, c, events);
        str_add(&sql, ", ");
        add_name(&sql, c, events);
        str_add(&sql, "_more");
    }
    return str_detach(&sql);
}

bool pack_write(struct pack *pack, sqlite3_stmt *insert, int64_t id)
{
    uint64_t more[PACK_ROWS];
    int64_t least;
    unsigned char *bytes = mem_array(pack->columns, sizeof(more)), *next = bytes;
    pack->near = 0;
    for (size_t c = 0; c < pack->columns; c++) {
        struct pack_column column = column_of(c, pack->events);
        const uint64_t *numbers = numbers_of(pack, c), *base = base_of(pack, &column);
        int place = 1 + COLUMNS + 2 * (int)c;
        bool has = has_column(pack, c);
        size_t width = reduce(pack, numbers, base, &least, more);
        if (column.event != NONE && column.reference != NONE && width > 0) {
            base = numbers_of(pack, (size_t)column.reference);
            if (reduce(pack, numbers, base, &least, more) < width)
                pack->near |= (int64_t)1 << column.event;
            width = reduce(pack, numbers, base_of(pack, &column), &least, more);
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
    free(bytes);
    return done;
}

/* Reads the numbers of a column; false if its bytes are not those of so many tasks. */
static bool read_column(struct pack *pack, size_t c, sqlite3_stmt *row)
{
    int place = COLUMNS + 2 * (int)c;
    struct pack_column column = column_of(c, pack->events);
    const unsigned char *bytes = sqlite3_column_blob(row, place + 1);
    size_t size = (size_t)sqlite3_column_bytes(row, place + 1), width = size / pack->rows;
    bool absent = c < PACK_FIELDS && sqlite3_column_type(row, place) == SQLITE_NULL;
    uint64_t least = (uint64_t)sqlite3_column_int64(row, place), *numbers = numbers_of(pack, c);
    const uint64_t *base = base_of(pack, &column);
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

/* ---- the view ---- */

/* Adds the number of task i in a column of a pack. b has all bytes in order, so that instr() gives
 * the number of one; its_oncpu and its_c0 are the task's numbers in these columns. */
static void add_number(struct str *sql, size_t c, size_t events)
{
    static const int widths[] = {1, 2, 3, 4, 8};
    struct pack_column column = column_of(c, events);
    AUTO_STR struct str name = str_new();
    add_name(&name, c, events);
    str_printf(sql, "%s+CASE length(%s_more)/tasks", name.text, name.text);
    for (size_t w = 0; w < sizeof(widths) / sizeof(*widths); w++) {
        str_printf(sql, " WHEN %d THEN 0", widths[w]);
        for (int b = 1; b <= widths[w]; b++)
            str_printf(sql, "<<8|instr(b,substr(%s_more,%d*i+%d,1))-1", name.text, widths[w], b);
    }
    str_add(sql, " ELSE 0 END");
    if (column.event != NONE)
        str_printf(sql, "+CASE WHEN near>>%d&1 THEN %s ELSE 0 END", column.event,
                   c == PACK_FIELDS ? "its_oncpu" : "its_c0");
    else if (column.reference == PACK_ONCPU)
        str_add(sql, "+its_oncpu");
    else if (column.reference != NONE) {
        str_add(sql, "+");
        add_number(sql, (size_t)column.reference, events);
    }
}

char *pack_query(size_t events, size_t groups)
{
    enum { BYTES = 256 };
    struct str sql = str_new();
    str_add(&sql, "SELECT id");
    for (size_t c = 0; c < PACK_FIELDS + events + 2 * groups; c++) {
        bool time = c >= PACK_FIELDS + events;
        str_add(&sql, time ? ", CASE WHEN e0 IS NOT NULL THEN " : ", ");
        add_number(&sql, c, events);
        str_add(&sql, time ? " END AS " : " AS ");
        add_name(&sql, c, events);
    }
    str_add(&sql, " FROM (SELECT *, ");
    if (events)
        add_number(&sql, PACK_FIELDS, events);
    else
        str_add(&sql, "0");
    str_add(&sql, " AS its_c0 FROM (SELECT *, ");
    add_number(&sql, PACK_ONCPU, events);
    str_add(&sql, " AS its_oncpu FROM task_packs JOIN pack_places ON i < tasks JOIN (SELECT x'");
    for (int byte = 0; byte < BYTES; byte++)
        str_printf(&sql, "%02x", (unsigned)byte);
    str_add(&sql, "' AS b)))");
    return str_detach(&sql);
}
