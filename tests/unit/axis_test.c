#include "front/tui/widget/curve.h"
#include "unit/test.h"

#include <math.h>

static struct axis make(int cells, size_t per, size_t window)
{
    struct axis axis;
    axis_make(&axis, cells, per, window);
    return axis;
}

/* That many intervals of a length, the last of which ended at 1000. */
static struct intervals regular(size_t count, double seconds)
{
    struct intervals intervals = {.count = count};
    for (size_t i = 0; i < count; i++) {
        intervals.seconds[i] = seconds;
        intervals.ends[i] = 1000 - (double)(count - 1 - i) * seconds;
    }
    return intervals;
}

static void ticks_at_round_times(void **state)
{
    struct axis axis = make(60, 2, 120);
    struct intervals intervals = regular(120, 1);
    struct tick ticks[AXIS_TICKS];
    assert_int_equal(axis_ticks(&axis, &intervals, 12, ticks), 3); /* two seconds in a cell */
    for (size_t i = 0; i < 3; i++) {
        assert_true(ticks[i].ago == 30 * (double)(i + 1));
        assert_int_equal(ticks[i].cell, axis_cell(&axis, 30 * (i + 1) + 1));
    }
    intervals = regular(120, 0.05);
    assert_int_equal(axis_ticks(&axis, &intervals, 10, ticks), 5);
    assert_true(ticks[0].ago == 1 && ticks[4].ago == 5);
    intervals = regular(120, 3600);
    assert_int_equal(axis_ticks(&axis, &intervals, 10, ticks), 4); /* of a day */
    assert_true(ticks[0].ago == 86400);
    intervals.count = 1;
    assert_int_equal(axis_ticks(&axis, &intervals, 10, ticks), 0);
    intervals.count = 0;
    assert_int_equal(axis_ticks(&axis, &intervals, 10, ticks), 0);
}

/* Whatever the width, the window is shown and the newest value is in the last column; what is read
 * in a cell is drawn in it. Where a value has a cell, it has whole cells. */
static void values_take_the_whole_width(void **state)
{
    static const size_t windows[] = {60, 120, HISTORY_LENGTH};
    for (int cells = 1; cells <= 400; cells++)
        for (size_t i = 0; i < 6; i++) {
            size_t per = 1 + i % 2, window = windows[i / 2];
            struct axis axis = make(cells, per, window);
            size_t width[HISTORY_LENGTH + 1] = {0}, least = SIZE_MAX, most = 0;
            assert_in_range(axis.values, window, HISTORY_LENGTH);
            assert_int_equal((size_t)axis.skip * per + axis.columns, (size_t)cells * per);
            bool shared = axis.values > axis.columns;
            assert_int_equal(shared, (size_t)cells * per < window);
            for (size_t c = 0; c < axis.columns; c++) {
                size_t back = axis_back(&axis, c);
                assert_in_range(back, 1, axis.values);
                width[back]++;
                assert_true(c == 0 || back <= axis_back(&axis, c - 1));
            }
            for (size_t back = 1; back <= axis.values; back++) {
                least = width[back] < least ? width[back] : least;
                most = width[back] > most ? width[back] : most;
                int cell = axis_cell(&axis, back);
                assert_in_range(cell, axis.skip, cells - 1);
                assert_true(back == 1 || cell <= axis_cell(&axis, back - 1));
                size_t first = (size_t)(cell - axis.skip) * per;
                bool drawn = false;
                for (size_t c = first; c < first + per; c++)
                    drawn |=
                        axis_back(&axis, c) == back ||
                        (axis_back(&axis, c) < back && (c == 0 || back < axis_back(&axis, c - 1)));
                assert_true(drawn);
            }
            assert_int_equal(axis_back_at(&axis, cells - 1), 1);
            if (shared)
                continue;
            assert_true(least >= 1 && most <= least + 1);
            if (axis.values < HISTORY_LENGTH) {
                assert_int_equal(least, most);
                assert_true(least < per || least % per == 0);
                assert_true((size_t)axis.skip * per < 2 * least);
            }
        }
}
