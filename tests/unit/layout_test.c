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

static size_t place(int width, size_t left, struct span *spans)
{
    static const int widths[] = {7, 8, 6, 6, 6, 7};
    struct columns_wish wish = {
        .widths = widths, .count = 6, .stretch = true, .width = width, .left = left};
    return layout_columns(&wish, spans);
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
