#include "front/tui/widget/layout.h"
#include "front/tui/widget/line.h"
#include "unit/test.h"

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
    const struct band *bands[] = {&layout->header,  &layout->meters, &layout->titles,
                                  &layout->table,   &layout->panel,  &layout->notice,
                                  &layout->message, &layout->prompt, &layout->keys};
    int y = 0;
    for (size_t i = 0; i < sizeof(bands) / sizeof(bands[0]); i++) {
        assert_int_equal(bands[i]->y, y);
        assert_true(bands[i]->height >= 0);
        y += bands[i]->height;
    }
    assert_int_equal(y, layout->height);
}

/* What is left of the line at the top, two lines of meters (four where there is room, or many with
 * bars for many CPUs), and a notice of two, at the sizes of terminals that people have: the bars
 * and a tall history go first, then the notice is cut to a line, then the meters go. */
static void sizes(void **state)
{
    static const struct {
        int width, height, wish, header, meters, notice, table, keys;
    } cases[] = {
        {200, 50, 4, 1, 4, 2, 41, 1}, {200, 50, 16, 1, 16, 2, 29, 1}, {80, 24, 2, 1, 2, 2, 17, 1},
        {80, 24, 8, 1, 7, 2, 12, 1},  {80, 20, 8, 1, 5, 2, 10, 1},    {60, 15, 2, 1, 2, 2, 8, 1},
        {60, 15, 5, 1, 3, 2, 7, 1},   {60, 12, 2, 1, 2, 1, 6, 1},     {40, 10, 2, 1, 1, 1, 5, 1},
        {30, 8, 2, 1, 0, 1, 4, 1},    {20, 6, 2, 1, 0, 0, 4, 0},      {20, 5, 2, 0, 0, 0, 4, 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct layout_wish wish = {.header = 1, .meters = cases[i].wish, .notice = 2};
        struct layout layout = make(cases[i].width, cases[i].height, wish);
        expect_whole(&layout);
        assert_false(layout.too_small);
        assert_int_equal(layout.header.height, cases[i].header);
        assert_int_equal(layout.meters.height, cases[i].meters);
        assert_int_equal(layout.notice.height, cases[i].notice);
        assert_int_equal(layout.titles.height, 1);
        assert_int_equal(layout.table.height, cases[i].table);
        assert_int_equal(layout.keys.height, cases[i].keys);
    }
}

static void any_size_holds_together(void **state)
{
    for (int height = LAYOUT_MIN_HEIGHT; height < 60; height++)
        for (int bits = 0; bits < 64; bits++) {
            struct layout_wish wish = {.header = bits & 1,
                                       .meters = bits & 16 ? height / 3 : bits & 1,
                                       .notice = bits & 2,
                                       .panel = bits & 32 ? 12 : 0,
                                       .message = bits & 4 ? 3 : 0,
                                       .prompt = bits & 8};
            struct layout layout = make(80, height, wish);
            expect_whole(&layout);
            assert_true(layout.table.height >= 1);
            assert_int_equal(layout.prompt.height, wish.prompt ? 1 : 0);
            assert_true(wish.message == 0 || layout.message.height >= 1);
            if (wish.message == 0 && height >= 8)
                assert_true(layout.table.height + layout.panel.height >= height / 2);
            if (wish.message == 0 && height >= 8)
                assert_true(layout.table.height >= 4);
            if (wish.message == 0 && height >= 24)
                assert_true(layout.panel.height == wish.panel);
        }
}

static void too_small(void **state)
{
    assert_true(make(19, 24, (struct layout_wish){.header = 1}).too_small);
    assert_true(make(80, 4, (struct layout_wish){.header = 1}).too_small);
    assert_false(make(20, 5, (struct layout_wish){.header = 1}).too_small);
}

/* Bars of CPUs on a screen of that size, in the third of it that they may have: none is outside, no
 * two are on each other, and each is wide enough for its label and its value. */
static void expect_bars(size_t cpus, int width, int height, size_t per, int columns, int lines)
{
    struct grid grid;
    int most = height / 3, wanted = grid_lines(cpus, width);
    grid_make(&grid, cpus, width, wanted < most ? wanted : most);
    assert_int_equal(grid.per, per);
    assert_int_equal(grid.bars, (cpus + per - 1) / per);
    assert_int_equal(grid.columns, columns);
    assert_int_equal(grid.lines, lines);
    for (size_t i = 0; i < grid.bars; i++) {
        struct box place = grid_box(&grid, i);
        assert_true(place.y >= 0 && place.y < lines && lines <= most);
        assert_true(place.x >= 0 && place.x + place.width <= width);
        assert_true(place.width >= 15);
        struct box next = grid_box(&grid, i + 1);
        assert_true(next.y == place.y + 1 || (next.y == 0 && next.x > place.x + place.width));
    }
}

static void bars_of_many_cpus(void **state)
{
    expect_bars(1, 80, 24, 1, 1, 1);
    expect_bars(2, 80, 24, 1, 2, 1);
    expect_bars(8, 80, 24, 1, 2, 4);
    expect_bars(16, 80, 24, 1, 2, 8);
    expect_bars(32, 80, 24, 1, 4, 8);
    expect_bars(64, 80, 24, 2, 4, 8);
    expect_bars(256, 80, 24, 8, 4, 8);
    expect_bars(8, 200, 50, 1, 5, 2);
    expect_bars(64, 200, 50, 1, 5, 13);
    expect_bars(256, 200, 50, 2, 8, 16);
    expect_bars(1024, 200, 50, 8, 8, 16);
    expect_bars(64, 40, 10, 16, 2, 2);
    expect_bars(5, 30, 8, 4, 1, 2);
    expect_bars(7, 80, 24, 1, 2, 4);
}

static size_t place(int width, size_t left, struct span *spans)
{
    static const int widths[] = {7, 8, 6, 6, 6, 7};
    struct columns_wish wish = {
        .widths = widths, .count = 6, .stretch = true, .width = width, .left = left};
    return layout_columns(&wish, spans);
}

static void all_columns_fit(void **state)
{
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

/* The fifth is kept: the ones before it go, from the right, and none is shown after one that went.
 */
static void kept_columns_stay(void **state)
{
    static const int widths[] = {7, 8, 6, 6, 6, 7};
    static const bool kept[] = {true, false, false, false, true, false};
    static const int expected[][6] = {
        /* width, scrolled off, and which of the four between are there */
        {80, 0, 1, 1, 1, 1}, {40, 0, 1, 1, 0, 1}, {36, 0, 1, 0, 0, 1}, {24, 0, 0, 0, 0, 1},
        {80, 1, 0, 1, 1, 1}, {80, 3, 0, 0, 0, 1}, {80, 9, 0, 0, 0, 1},
    };
    for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++) {
        const int *e = expected[i];
        struct span spans[6];
        struct columns_wish wish = {.widths = widths,
                                    .count = 6,
                                    .stretch = true,
                                    .width = e[0],
                                    .left = (size_t)e[1],
                                    .kept = kept};
        layout_columns(&wish, spans);
        for (int c = 1; c <= 4; c++)
            assert_int_equal(spans[c].width > 0, e[1 + c]);
        assert_true(spans[5].width >= 8);
    }
}

static void columns_stay_within(void **state)
{
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
    struct columns_wish wish = {.width = 80};
    assert_int_equal(layout_columns(&wish, NULL), 0);
}

static void lines_give_way_by_rank(void **state)
{
    struct line line = {0};
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

/* Where a long piece is shortened, its room is for those below it; none is let in past one that
 * does not fit. */
static void room_of_a_long_piece(void **state)
{
    struct line line = {0};
    line_add(&line, 9, "", "[Tasks]");
    line_add(&line, 8, "filter", "cpu > 0.1 and (user = root or user = nobody)")->cut = true;
    line_add(&line, 7, "every", "1 s");
    line_add(&line, 6, "", "long without a short form");
    line_add(&line, 5, "", "x");
    line_fit(&line, 59);
    assert_string_equal(line.pieces[1].brief, "cpu > 0.1 and (user ...");
    assert_true(line.pieces[1].shortened && !line.pieces[2].gone);
    assert_true(line.pieces[3].gone && line.pieces[4].gone);
    line_fit(&line, 30);
    assert_string_equal(line.pieces[1].brief, "cpu > 0.1 a...");
    assert_true(!line.pieces[1].gone && line.pieces[2].gone);
    line_fit(&line, 23); /* too few cells to tell anything */
    assert_true(line.pieces[1].gone && !line.pieces[0].gone);
    line_fit(&line, 200);
    assert_false(line.pieces[1].shortened || line.pieces[4].gone);
}

/* Pieces may be closer together than others. */
static void pieces_with_a_gap(void **state)
{
    struct line line = {0};
    line_add(&line, 2, "engine", "cpu");
    line_add(&line, 1, "", "(ledger)")->gap = 1;
    line_fit(&line, 19);
    assert_false(line.pieces[1].gone);
    line_fit(&line, 18);
    assert_true(line.pieces[1].gone && !line.pieces[0].gone);
}
