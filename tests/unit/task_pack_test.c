/* Packs of tasks: they are read as they were written, and cut or foreign bytes are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "record/task_pack.h"

#include <stdlib.h>

enum { EVENTS = 70, GROUPS = 2, ROWS = PACK_ROWS };

static struct event_set *pack_set(void)
{
    struct event_set *set = event_set_new(EVENTS);
    set->groups = GROUPS;
    return set;
}

/* Numbers of all lengths. */
static uint64_t any_number(void)
{
    uint64_t bits = (uint64_t)mrand48() << 32 ^ (uint64_t)mrand48();
    return bits >> lrand48() % 64;
}

static void fill(struct pack_row *rows, struct event_set *set, bool timed)
{
    for (size_t r = 0; r < ROWS; r++) {
        struct counts counts = counts_new(set);
        for (size_t f = 0; f < PACK_FIELDS; f++)
            rows[r].field[f] = (int64_t)any_number();
        uint64_t oncpu = (uint64_t)rows[r].field[PACK_ONCPU];
        for (size_t e = 0; e < EVENTS; e++)
            counts.value[e] = e % 2 ? any_number() : oncpu - e;
        for (size_t g = 0; g < GROUPS; g++) {
            counts.times[g].enabled = timed ? any_number() : oncpu;
            counts.times[g].running = timed ? any_number() : oncpu;
        }
        rows[r].counts = counts;
    }
}

static void empty(struct pack_row *rows)
{
    for (size_t r = 0; r < ROWS; r++)
        counts_release(&rows[r].counts);
}

static void test_rows_are_read_as_they_were(void **state)
{
    (void)state;
    struct event_set *set = pack_set();
    struct counts counts = counts_new(set);
    struct pack pack = {0};
    struct str bytes;
    str_init(&bytes);
    srand48(1);
    for (int round = 0; round < 60; round++) {
        struct pack_row rows[ROWS];
        struct pack_style style = {.kind = (enum pack_kind)(round % PACK_KINDS),
                                   .timed = round % 2};
        fill(rows, set, round % 2);
        str_clear(&bytes);
        pack_write(&bytes, &style, rows, ROWS, set);
        assert_true(style.near & 1);
        assert_true(pack_read(&pack, &style, bytes.text, bytes.length, set));
        assert_int_equal(pack.rows, ROWS);
        for (size_t r = 0; r < ROWS; r++) {
            pack_row_counts(&pack, r, set, &counts);
            assert_memory_equal(pack_row_fields(&pack, r), rows[r].field,
                                pack_fields(style.kind) * sizeof(*rows[r].field));
            assert_memory_equal(counts.value, rows[r].counts.value, EVENTS * sizeof(uint64_t));
            assert_memory_equal(counts.times, rows[r].counts.times, GROUPS * sizeof(*counts.times));
        }
        empty(rows);
    }
    pack_release(&pack);
    str_release(&bytes);
    counts_release(&counts);
    event_set_drop(set);
}

/* Rows of alike tasks take little: a column of which all numbers are the same takes ten bits. */
static void test_what_is_alike_takes_little(void **state)
{
    (void)state;
    struct event_set *set = event_set_new(0);
    struct pack_row rows[ROWS] = {{{0}, {0}}};
    struct pack_style style = {.kind = PACK_KNOWN};
    struct str bytes;
    str_init(&bytes);
    pack_write(&bytes, &style, rows, ROWS, set);
    assert_int_equal(bytes.length, 1 + 4 * 10 / 8);
    for (size_t r = 0; r < ROWS; r++)
        rows[r].field[PACK_TASK] = 1000 + (int64_t)r; /* a difference of 2000, and others of 2 */
    str_clear(&bytes);
    pack_write(&bytes, &style, rows, ROWS, set);
    assert_int_equal(bytes.length, 1 + (4 * 10 + 4 + ROWS + 4 + 10 + ROWS - 1 + 7) / 8);
    str_release(&bytes);
    event_set_drop(set);
}

/* Rows of the bytes; -1 if they are no pack. */
static int sound_rows(const char *bytes, size_t size, const struct pack_style *style,
                      const struct event_set *set)
{
    struct pack pack = {0};
    int rows = pack_read(&pack, style, bytes, size, set) ? (int)pack.rows : -1;
    pack_release(&pack);
    return rows;
}

static void test_what_is_cut_or_foreign(void **state)
{
    (void)state;
    struct event_set *set = pack_set();
    struct pack_row rows[ROWS];
    struct pack_style style = {.kind = PACK_ALONE, .timed = true};
    struct str bytes;
    str_init(&bytes);
    fill(rows, set, true);
    pack_write(&bytes, &style, rows, ROWS, set);
    for (size_t size = 0; size < bytes.length; size++)
        assert_int_equal(sound_rows(bytes.text, size, &style, set), -1);
    assert_int_equal(sound_rows(bytes.text, bytes.length, &style, set), ROWS);
    str_add_char(&bytes, 0);
    assert_int_equal(sound_rows(bytes.text, bytes.length, &style, set), -1);
    empty(rows);

    struct event_set *none = event_set_new(0);
    style = (struct pack_style){.kind = PACK_KNOWN, .columns = true};
    char zeros[6] = {0};
    for (int count = -1; count <= PACK_ROWS + 1; count++) {
        zeros[0] = (char)count;
        bool good = count > 0 && count <= PACK_ROWS;
        assert_int_equal(sound_rows(zeros, sizeof(zeros), &style, none), good ? count : -1);
    }
    static const char long_number[] = "\x01\x41\0\0\0\0"; /* 65 bits */
    assert_int_equal(sound_rows(long_number, sizeof(long_number) - 1, &style, none), -1);
    event_set_drop(none);
    str_release(&bytes);
    event_set_drop(set);
}

/* Packs of format 2. */
static void test_rows_of_format_2(void **state)
{
    (void)state;
    struct event_set *set = event_set_new(2);
    struct pack_style style = {.kind = PACK_KNOWN, .timed = true, .near = 2};
    struct pack pack = {0};
    set->groups = 1;
    struct counts counts = counts_new(set);
    /* flags, CPU, time, task; counts, one of them near the time; enabled, running */
    static const char rows[] = "\1\2\xe8\7\4\5\3\0\1"
                               "\0\1\xe9\7\2\0\0\2\0";
    assert_true(pack_read(&pack, &style, rows, sizeof(rows) - 1, set));
    assert_int_equal(pack.rows, 2);
    static const int64_t fields[2][4] = {{1, 1, 1000, 2}, {0, 0, 1001, 3}};
    static const uint64_t numbers[2][4] = {{5, 998, 1000, 999}, {0, 1001, 1002, 1001}};
    for (size_t r = 0; r < 2; r++) {
        pack_row_counts(&pack, r, set, &counts);
        assert_memory_equal(pack_row_fields(&pack, r), fields[r], sizeof(fields[r]));
        assert_memory_equal(counts.value, numbers[r], 2 * sizeof(uint64_t));
        assert_int_equal(counts.times[0].enabled, numbers[r][2]);
        assert_int_equal(counts.times[0].running, numbers[r][3]);
    }
    int whole = 0;
    for (size_t size = 0; size < sizeof(rows); size++)
        whole += sound_rows(rows, size, &style, set) >= 0;
    assert_int_equal(whole, 3); /* cut behind a row, or before all */
    counts_release(&counts);
    pack_release(&pack);
    event_set_drop(set);

    static const char endless[] = "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01";
    static const char large[] = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x03"; /* 65 bits */
    struct event_set *none = event_set_new(0);
    style = (struct pack_style){.kind = PACK_KNOWN};
    assert_int_equal(sound_rows(endless, sizeof(endless) - 1, &style, none), -1);
    assert_int_equal(sound_rows(large, sizeof(large) - 1, &style, none), -1);
    char many[(PACK_ROWS + 1) * 4] = {0};
    assert_int_equal(sound_rows(many, sizeof(many) - 4, &style, none), PACK_ROWS);
    assert_int_equal(sound_rows(many, sizeof(many), &style, none), -1);
    event_set_drop(none);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_are_read_as_they_were),
        cmocka_unit_test(test_what_is_alike_takes_little),
        cmocka_unit_test(test_what_is_cut_or_foreign),
        cmocka_unit_test(test_rows_of_format_2),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
