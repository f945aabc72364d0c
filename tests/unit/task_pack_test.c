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
        struct pack_reader reader = pack_read(bytes.text, bytes.length);
        for (size_t r = 0; r < ROWS; r++) {
            assert_true(pack_more(&reader));
            assert_true(pack_read_fields(&reader, &style));
            assert_true(pack_read_counts(&reader, &style, set, &counts));
            assert_memory_equal(reader.field, rows[r].field,
                                pack_fields(style.kind) * sizeof(*reader.field));
            assert_memory_equal(counts.value, rows[r].counts.value, EVENTS * sizeof(uint64_t));
            assert_memory_equal(counts.times, rows[r].counts.times, GROUPS * sizeof(*counts.times));
        }
        assert_false(pack_more(&reader));
        empty(rows);
    }
    str_release(&bytes);
    counts_release(&counts);
    event_set_drop(set);
}

/* Rows of the bytes that are sound; -1 if others follow. */
static int sound_rows(const char *bytes, size_t size, const struct pack_style *style,
                      const struct event_set *set, struct counts *counts)
{
    struct pack_reader reader = pack_read(bytes, size);
    int rows = 0;
    for (; pack_more(&reader); rows++)
        if (!pack_read_fields(&reader, style) || !pack_read_counts(&reader, style, set, counts))
            return -1;
    return rows;
}

static void test_what_is_cut_or_foreign(void **state)
{
    (void)state;
    struct event_set *set = pack_set();
    struct counts counts = counts_new(set);
    struct pack_row rows[ROWS];
    struct pack_style style = {.kind = PACK_ALONE, .timed = true};
    struct str bytes;
    str_init(&bytes);
    fill(rows, set, true);
    pack_write(&bytes, &style, rows, ROWS, set);
    int whole = 0;
    for (size_t size = 0; size <= bytes.length; size++)
        whole += sound_rows(bytes.text, size, &style, set, &counts) >= 0;
    assert_int_equal(whole, ROWS + 1); /* cut behind a row, or before all */
    empty(rows);

    static const char endless[] = "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01";
    static const char large[] = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x03"; /* 65 bits */
    struct event_set *none = event_set_new(0);
    style = (struct pack_style){.kind = PACK_KNOWN};
    assert_int_equal(sound_rows(endless, sizeof(endless) - 1, &style, none, &counts), -1);
    assert_int_equal(sound_rows(large, sizeof(large) - 1, &style, none, &counts), -1);
    char many[(PACK_ROWS + 1) * 4] = {0};
    assert_int_equal(sound_rows(many, sizeof(many) - 4, &style, none, &counts), PACK_ROWS);
    assert_int_equal(sound_rows(many, sizeof(many), &style, none, &counts), -1);
    event_set_drop(none);
    str_release(&bytes);
    counts_release(&counts);
    event_set_drop(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_are_read_as_they_were),
        cmocka_unit_test(test_what_is_cut_or_foreign),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
