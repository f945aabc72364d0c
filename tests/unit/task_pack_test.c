/* Packs of tasks: they are read as they were written, also in SQL; cut or foreign ones are refused.
 */

#include "base/mem.h"
#include "record/schema.h"
#include "unit/test.h"

#include <stdlib.h>

enum { EVENTS = 70, GROUPS = 2 };

/* A recording in memory with one pack, and the statements that write and read it. */
struct shelf {
    struct event_set *set;
    struct db *db;
    sqlite3_stmt *insert, *find;
    struct pack pack;
};

static void shelf_open(struct shelf *shelf)
{
    struct str values = str_new();
    char *columns = pack_columns(EVENTS, GROUPS);
    *shelf = (struct shelf){.set = event_set_new(EVENTS), .db = db_open(NULL, true, NULL)};
    shelf->set->groups = GROUPS;
    assert_int_equal(schema_create(shelf->db, NULL), 0);
    assert_int_equal(schema_extend(shelf->db, EVENTS, GROUPS, NULL), 0);
    for (int i = 0; i < 3 + 2 * (PACK_FIELDS + EVENTS + 2 * GROUPS); i++)
        str_add(&values, i ? ", ?" : "?");
    char *insert = mem_printf("REPLACE INTO task_packs (id, %s) VALUES (%s)", columns, values.text);
    char *find = mem_printf("SELECT id, %s FROM task_packs", columns);
    shelf->insert = db_prepare(shelf->db, insert, NULL);
    shelf->find = db_prepare(shelf->db, find, NULL);
    assert_non_null(shelf->insert);
    assert_non_null(shelf->find);
    free(insert);
    free(find);
    free(columns);
    str_release(&values);
}

static void shelf_close(struct shelf *shelf)
{
    sqlite3_finalize(shelf->insert);
    sqlite3_finalize(shelf->find);
    db_close(shelf->db);
    pack_release(&shelf->pack);
    event_set_drop(shelf->set);
}

/* Reads the pack of the shelf; false if it is refused. */
static bool shelf_read(struct shelf *shelf)
{
    assert_int_equal(sqlite3_step(shelf->find), SQLITE_ROW);
    bool good = pack_read(&shelf->pack, shelf->find, shelf->set);
    sqlite3_reset(shelf->find);
    return good;
}

/* A number of any length. */
static uint64_t any_number(void)
{
    uint64_t bits = (uint64_t)mrand48() << 32 ^ (uint64_t)mrand48();
    return bits >> lrand48() % 64;
}

/* Rows with numbers of all lengths; in `wanted` a field, a count and a time of each. */
static void fill(struct shelf *shelf, bool timed, uint64_t wanted[PACK_ROWS][3])
{
    struct counts counts = counts_new(shelf->set);
    int64_t field[PACK_FIELDS];
    pack_begin(&shelf->pack, shelf->set);
    shelf->pack.timed = timed;
    for (size_t r = 0; r < PACK_ROWS; r++) {
        for (size_t f = 0; f < PACK_FIELDS; f++)
            field[f] = f == PACK_TASK ? PACK_ABSENT : (int64_t)any_number();
        for (size_t e = 0; e < EVENTS; e++)
            counts.value[e] = e % 2 ? any_number() : (uint64_t)field[PACK_ONCPU] - e;
        for (size_t g = 0; g < GROUPS; g++)
            counts.times[g] = (struct group_time){any_number(), any_number()};
        pack_add(&shelf->pack, field, &counts);
        wanted[r][0] = (uint64_t)field[PACK_PROCESS_IDENT];
        wanted[r][1] = counts.value[r];
        wanted[r][2] = timed ? counts.times[1].running : (uint64_t)field[PACK_ONCPU];
    }
    counts_release(&counts);
}

static void test_what_is_cut_or_foreign(void **state)
{
    static const struct {
        const char *change;
        bool good;
    } changes[] = {
        {"tasks = tasks", true},
        {"oncpu_more = substr(oncpu_more, 2)", false},
        {"oncpu_more = oncpu_more || x'00'", false},
        {"oncpu_more = zeroblob(9 * 32)", false},
        {"oncpu_more = zeroblob(7 * 32)", true},
        {"oncpu_more = NULL, flags = NULL", true},
        {"tasks = 0", false},
        {"tasks = 33", false},
        {"tasks = -1", false},
        {"tasks = 'x'", false},
        {"near = -1", true},
    };
    struct shelf shelf;
    uint64_t wanted[PACK_ROWS][3];
    shelf_open(&shelf);
    for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
        fill(&shelf, true, wanted);
        assert_true(pack_write(&shelf.pack, shelf.insert, 1));
        assert_int_equal(db_exec(shelf.db, NULL, "UPDATE task_packs SET %s", changes[i].change), 0);
        assert_int_equal(shelf_read(&shelf), changes[i].good);
    }
    shelf_close(&shelf);
}
