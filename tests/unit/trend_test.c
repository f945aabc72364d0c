#include "unit/test.h"
#include "view/trend.h"

#include <math.h>

static void interval(struct trend *trend, double wall)
{
    struct frame frame = {.wall = wall, .interval = 1};
    trend_interval(trend, &frame);
}

static void expect(const struct trend *trend, const char *name, size_t count, const float *values)
{
    struct series series;
    assert_true(trend_series(trend, name, &series));
    assert_int_equal(series.count, count);
    for (size_t i = 0; i < count; i++)
        assert_true(series.values[i] == values[i] || (isnan(series.values[i]) && isnan(values[i])));
}

static void numbers_by_name(void **state)
{
    struct trend *trend = trend_new();
    struct series series;
    interval(trend, 10);
    trend_take(trend, "ipc", 0.5, false);
    trend_take(trend, "ghz", 3, false);
    interval(trend, 11);
    trend_take(trend, "ghz", 3.5, false);
    trend_take(trend, "ipc", 0.75, false);
    interval(trend, 12); /* another screen: ghz is not told */
    trend_take(trend, "ipc", 1, false);
    interval(trend, 13);
    trend_take(trend, "ghz", 4, false);
    trend_take(trend, "ipc", NAN, false);
    expect(trend, "ipc", 4, (float[]){0.5f, 0.75f, 1, NAN});
    expect(trend, "ghz", 4, (float[]){3, 3.5f, NAN, 4});
    assert_false(trend_series(trend, "mpki", &series));
    assert_int_equal(series.count, 0);
    trend_free(trend);
}

static void back_in_time(void **state)
{
    struct trend *trend = trend_new();
    struct series series;
    for (int i = 0; i < 3; i++) {
        interval(trend, 10 + i);
        trend_take(trend, "ipc", i, false);
    }
    interval(trend, 11);
    assert_false(trend_series(trend, "ipc", &series));
    trend_take(trend, "ipc", 7, false);
    expect(trend, "ipc", 1, (float[]){7});
    trend_free(trend);
}

static void least_and_most_of_what_is_shown(void **state)
{
    struct series series = {.count = 5, .values = {9, 2, NAN, 0.5f, 1}};
    double least = -1, most = -1;
    assert_true(trend_range(&series, 10, &least, &most));
    assert_true(least == 0.5 && most == 9);
    assert_true(trend_range(&series, 4, &least, &most));
    assert_true(least == 0.5 && most == 2);
    assert_true(trend_range(&series, 1, &least, &most));
    assert_true(least == 1 && most == 1);
    series.count = 3;
    assert_false(trend_range(&series, 1, &least, &most));
    assert_false(trend_range(&series, 0, &least, &most));
}
