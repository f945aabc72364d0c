#include "model/history.h"
#include "unit/test.h"

#include <math.h>

/* Two values: a rate, which is 0 of a row that sleeps, and a ratio, which is unknown then. */
static struct history *begin(void)
{
    struct history *history = history_new();
    history_begin(history, 2, (double[]){0, NAN});
    return history;
}

static void take(struct history *history, uint64_t id, double rate, double ratio)
{
    history_take(history, id, (double[]){rate, ratio}, NULL, false);
}

static void who_sleeps_did_nothing(void **state)
{
    struct history *history = begin();
    struct series series;
    history_interval(history, 1, 0);
    take(history, 1, 8, 2);
    history_interval(history, 1, 0);
    history_interval(history, 1, 0);
    assert_true(history_series(history, 1, 0, &series));
    assert_int_equal(series.count, 3);
    assert_true(series.values[0] == 8 && series.values[1] == 0 && series.values[2] == 0);
    assert_true(series.least == 0 && series.most == 8);
    assert_true(fabs(series.mean - 8 / 3.0) < 1e-12);
    /* Asking has changed nothing. */
    history_interval(history, 1, 0);
    take(history, 1, 4, NAN);
    assert_true(history_series(history, 1, 0, &series));
    assert_int_equal(series.count, 4);
    assert_true(series.values[0] == 8 && series.values[2] == 0 && series.values[3] == 4);
    assert_true(series.mean == 3);
    assert_true(history_series(history, 1, 1, &series));
    assert_true(series.values[0] == 2 && isnan(series.values[1]));
    assert_true(series.least == 2);
    history_free(history);
}

/* Of one that has ended nothing is known: not 0, and the mean is that of its life. */
static void who_has_ended_does_nothing_more(void **state)
{
    struct history *history = begin();
    struct series series;
    history_interval(history, 1, 0);
    take(history, 1, 8, 2);
    history_interval(history, 1, 0);
    history_interval(history, 1, 0);
    take(history, 1, 4, 2);
    history_end(history, 1);
    history_end(history, 2); /* unknown */
    for (int i = 0; i < 2; i++) {
        history_interval(history, 1, 0);
        assert_true(history_series(history, 1, 0, &series));
        assert_int_equal(series.count, 4 + i);
        assert_true(series.values[1] == 0 && series.values[2] == 4); /* it slept, and lived */
        assert_true(isnan(series.values[3 + i]));
        assert_true(series.mean == 4 && series.least == 0 && series.most == 8);
        assert_true(history_recent(history, 1, 0, &series));
        assert_true(series.mean == 4);
    }
    take(history, 1, 10, 2); /* it was another one's end */
    assert_true(history_series(history, 1, 0, &series));
    assert_true(isnan(series.values[3]) && series.values[4] == 10);
    assert_true(series.mean == 22 / 4.0);
    history_interval(history, 1, 0);
    assert_true(history_series(history, 1, 0, &series));
    assert_true(series.values[5] == 0);
    history_free(history);
}

static bool is_there(const struct history *history, uint64_t id)
{
    struct series series;
    return history_series(history, id, 0, &series);
}

static void those_gone_longest_give_way(void **state)
{
    struct history *history = begin();
    history_interval(history, 1, 0);
    history_take(history, 1, (double[]){1, 1}, NULL, true);
    take(history, 2, 1, 1);
    history_interval(history, 1, 0);
    for (uint64_t id = 3; id <= HISTORY_ROWS; id++)
        take(history, id, 1, 1);
    history_interval(history, 1, 0);
    take(history, 3, 1, 1);
    take(history, 1000000, 1, 1);
    assert_true(is_there(history, 1000000));
    assert_true(is_there(history, 1)); /* was to be kept */
    assert_false(is_there(history, 2));
    assert_true(is_there(history, 3)); /* is in the interval */
    history_free(history);
}

static void all_rows_at_work_keep_their_place(void **state)
{
    struct history *history = begin();
    history_interval(history, 1, 0);
    for (uint64_t id = 1; id <= 2 * HISTORY_ROWS; id++)
        take(history, id, 1, 1);
    for (uint64_t id = 1; id <= 2 * HISTORY_ROWS; id++)
        assert_int_equal(is_there(history, id), id <= HISTORY_ROWS);
    history_take(history, 5000, (double[]){1, 1}, NULL, true);
    assert_true(is_there(history, 5000));
    history_free(history);
}

/* Of the values in the curve, each weighted with its own interval. */
static void recent_ones_are_of_what_is_kept(void **state)
{
    struct history *history = begin();
    struct series series;
    history_interval(history, 1, 0);
    take(history, 1, 1000, 1);
    for (int i = 0; i < HISTORY_LENGTH - 2; i++) {
        history_interval(history, 1, 0);
        take(history, 1, 10, NAN);
    }
    history_interval(history, 2, 0);
    take(history, 1, 40, 3);
    assert_true(history_recent(history, 1, 0, &series));
    assert_true(series.count == HISTORY_LENGTH && series.most == 1000);
    history_interval(history, 3, 0); /* it sleeps */
    assert_true(history_recent(history, 1, 0, &series));
    assert_int_equal(series.count, HISTORY_LENGTH);
    assert_true(series.least == 0 && series.most == 40);
    assert_true(series.mean == (10.0 * (HISTORY_LENGTH - 2) + 2 * 40) / (HISTORY_LENGTH - 2 + 5));
    assert_true(history_series(history, 1, 0, &series) && series.most == 1000);
    assert_true(history_recent(history, 1, 1, &series) && series.mean == 3);
    assert_false(history_recent(history, 2, 0, &series));
    history_free(history);
}

/* The rings grow: each length of a series has all its values, also in a copy. */
static void test_all_lengths(void **state)
{
    struct history *history = history_new();
    struct series series;
    history_begin(history, 2, (double[]){0, NAN});
    for (size_t n = 1; n <= HISTORY_LENGTH + 9; n++) {
        history_interval(history, 1, (double)n);
        history_take(history, 7, (double[]){(double)n, -(double)n},
                     (bool[]){n % 3 == 0, n % 2 == 0}, false);
        history_hold(history, true);
        for (size_t v = 0; v < 2; v++) {
            assert_true(history_series(history, 7, v, &series));
            size_t count = n < HISTORY_LENGTH ? n : HISTORY_LENGTH;
            assert_int_equal(series.count, count);
            for (size_t i = 0; i < count; i++) {
                size_t number = n - (count - 1 - i);
                assert_true(series.values[i] == (v ? -(float)number : (float)number));
                assert_int_equal(series.scaled[i], number % (v ? 2 : 3) == 0);
            }
        }
        history_hold(history, false);
    }
    history_free(history);
}
