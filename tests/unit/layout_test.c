#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "front/tui/layout.h"
#include "front/tui/line.h"

#include <string.h>

static struct layout make(int width, int height, struct layout_wish wish)
{
    struct layout layout;
    layout_make(&layout, width, height, &wish);
    return layout;
}

/* The bands follow each other without gap and fill the screen. */
static void expect_whole(const struct layout *layout)
{
    const struct band *bands[] = {&layout->header, &layout->notice,  &layout->titles,
                                  &layout->table,  &layout->message, &layout->prompt,
                                  &layout->keys};
    int y = 0;
    for (size_t i = 0; i < sizeof(bands) / sizeof(bands[0]); i++) {
        assert_int_equal(bands[i]->y, y);
        assert_true(bands[i]->height >= 0);
        y += bands[i]->height;
    }
    assert_int_equal(y, layout->height);
}

static void everything_at_80x24(void **state)
{
    (void)state;
    struct layout layout = make(80, 24, (struct layout_wish){4, 2, 0, false});
    expect_whole(&layout);
    assert_false(layout.too_small);
    assert_int_equal(layout.header.height, 4);
    assert_int_equal(layout.notice.height, 2);
    assert_int_equal(layout.titles.height, 1);
    assert_int_equal(layout.table.height, 16);
    assert_int_equal(layout.keys.height, 1);
}

static void gives_way_in_steps(void **state)
{
    (void)state;
    struct layout layout = make(40, 10, (struct layout_wish){4, 2, 0, false});
    expect_whole(&layout);
    assert_int_equal(layout.header.height, 2);
    assert_int_equal(layout.notice.height, 1);
    assert_int_equal(layout.table.height, 5);
    assert_int_equal(layout.keys.height, 1);
    layout = make(40, 5, (struct layout_wish){4, 0, 0, false});
    expect_whole(&layout);
    assert_int_equal(layout.header.height, 0);
    assert_int_equal(layout.titles.height, 1);
    assert_int_equal(layout.table.height, 4);
}

static void any_size_holds_together(void **state)
{
    (void)state;
    for (int height = LAYOUT_LEAST_HEIGHT; height < 60; height++)
        for (int bits = 0; bits < 32; bits++) {
            struct layout_wish wish = {bits & 3, bits & 2, bits & 4 ? 3 : 0, bits & 8};
            struct layout layout = make(80, height, wish);
            expect_whole(&layout);
            assert_true(layout.table.height >= 1);
            assert_int_equal(layout.prompt.height, wish.prompt ? 1 : 0);
            assert_true(wish.message == 0 || layout.message.height >= 1);
        }
}

static void too_small(void **state)
{
    (void)state;
    assert_true(make(19, 24, (struct layout_wish){3, 0, 0, false}).too_small);
    assert_true(make(80, 4, (struct layout_wish){3, 0, 0, false}).too_small);
    assert_false(make(20, 5, (struct layout_wish){3, 0, 0, false}).too_small);
}

static size_t place(int width, size_t left, struct span *spans)
{
    static const int widths[] = {7, 8, 6, 6, 6, 7};
    struct columns_wish wish = {widths, 6, true, width, left};
    return layout_columns(&wish, spans);
}

static void all_columns_fit(void **state)
{
    (void)state;
    struct span spans[6];
    assert_int_equal(place(80, 0, spans), 0);
    assert_int_equal(spans[0].x, 0);
    assert_int_equal(spans[1].x, 8);
    assert_int_equal(spans[4].x, 31);
    assert_int_equal(spans[5].x, 38);
    assert_int_equal(spans[5].width, 42); /* the rest */
}

static void first_and_last_stay(void **state)
{
    (void)state;
    struct span spans[6];
    assert_int_equal(place(40, 0, spans), 1);
    assert_int_equal(spans[4].width, 0);
    assert_int_equal(spans[5].x + spans[5].width, 40);
    assert_int_equal(place(40, 1, spans), 0);
    assert_int_equal(spans[0].width, 7);
    assert_int_equal(spans[1].width, 0);
    assert_int_equal(spans[2].x, 8);
    assert_int_equal(spans[4].width, 6);
    assert_int_equal(spans[5].x + spans[5].width, 40);
}

static void columns_stay_within(void **state)
{
    (void)state;
    for (int width = 20; width < 90; width++)
        for (size_t left = 0; left < 6; left++) {
            struct span spans[6];
            place(width, left, spans);
            int end = 0;
            for (size_t i = 0; i < 6; i++) {
                if (spans[i].width == 0)
                    continue;
                assert_true(spans[i].x >= end);
                end = spans[i].x + spans[i].width + 1;
            }
            assert_true(end - 1 <= width);
            assert_true(spans[5].width >= 8);
        }
}

static void no_columns(void **state)
{
    (void)state;
    struct columns_wish wish = {.width = 80};
    assert_int_equal(layout_columns(&wish, NULL), 0);
}

static void lines_give_way_by_rank(void **state)
{
    (void)state;
    struct line line;
    line_init(&line);
    line_add(&line, 3, "", "important");
    struct piece *engine = line_add(&line, 2, "engine", "a long explanation");
    strcpy(engine->brief, "short");
    line_add(&line, 1, "", "trifle");
    line_fit(&line, 44);
    assert_false(line.pieces[1].shortened || line.pieces[2].gone);
    line_fit(&line, 43);
    assert_true(line.pieces[2].gone);
    assert_false(line.pieces[1].shortened);
    line_fit(&line, 30);
    assert_true(line.pieces[1].shortened && !line.pieces[1].gone);
    line_fit(&line, 20);
    assert_true(line.pieces[1].gone);
    line_fit(&line, 2);
    assert_false(line.pieces[0].gone); /* the last one is cut instead */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_at_80x24),     cmocka_unit_test(gives_way_in_steps),
        cmocka_unit_test(any_size_holds_together), cmocka_unit_test(too_small),
        cmocka_unit_test(all_columns_fit),         cmocka_unit_test(first_and_last_stay),
        cmocka_unit_test(columns_stay_within),     cmocka_unit_test(no_columns),
        cmocka_unit_test(lines_give_way_by_rank),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
