#include "front/tui/state/state.h"
#include "unit/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* 2026-11-20 in UTC. */
enum { DAY = 1795132800, HOUR = 3600, MINUTE = 60 };

/* Five hundred intervals of the evening, from 23:00:00.4 to 01:00:00.4, at midnight. */
static const struct front_moment evening = {
    .at = 250,
    .count = 500,
    .first = DAY + 23 * HOUR + 0.4,
    .last = DAY + 25 * HOUR + 0.4,
    .time = DAY + 24 * HOUR + 0.4,
};

static double read_time(const char *text)
{
    struct time_spec when;
    struct err err = {""};
    if (time_spec_read(text, &evening, &when, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(when.number, 0);
    return when.time;
}

static const char *read_error(const char *text)
{
    static struct err err;
    struct time_spec when;
    err.text[0] = '\0';
    assert_int_equal(time_spec_read(text, &evening, &when, &err), -1);
    return err.text;
}

static void times_of_the_clock(void **state)
{
    assert_true(read_time("00:30") == DAY + 24 * HOUR + 30 * MINUTE);
    assert_true(read_time("00:30:07") == DAY + 24 * HOUR + 30 * MINUTE + 7);
    assert_true(read_time("23:30") == DAY + 23 * HOUR + 30 * MINUTE);
    assert_true(read_time(" 2026-11-20 23:30") == DAY + 23 * HOUR + 30 * MINUTE);
    assert_true(read_time("2026-11-21 00:00:01") == DAY + 24 * HOUR + 1);
}

static void what_is_shown_of_the_ends_is_kept(void **state)
{
    assert_true(read_time("23:00:00") == DAY + 23 * HOUR);
    assert_true(read_time("01:00:00") == DAY + 25 * HOUR);
    assert_string_equal(read_error("01:00:01"),
                        "01:00:01 is not kept (kept: 2026-11-20 23:00:00 to 01:00:00)");
    assert_string_equal(read_error("22:59:59"),
                        "22:59:59 is not kept (kept: 2026-11-20 23:00:00 to 01:00:00)");
    assert_string_equal(read_error("2026-11-19 23:30"), "2026-11-19 23:30 is not kept "
                                                        "(kept: 2026-11-20 23:00:00 to 01:00:00)");
}

/* A time that there is twice is the one nearest to what is shown. */
static void the_nearest_day(void **state)
{
    struct front_moment week = evening;
    struct time_spec when;
    week.first -= 3.0 * 24 * HOUR;
    week.last += 3.0 * 24 * HOUR;
    assert_int_equal(time_spec_read("20:00", &week, &when, NULL), 0);
    assert_true(when.time == DAY + 20 * HOUR);
    assert_int_equal(time_spec_read("02:00", &week, &when, NULL), 0);
    assert_true(when.time == DAY + 26 * HOUR);
}

static void lengths_from_what_is_on_show(void **state)
{
    assert_true(read_time("-5m") == evening.time - 5 * MINUTE);
    assert_true(read_time("+1m30s") == evening.time + 90);
    assert_true(read_time("20") == evening.time - 20);
    assert_true(read_time("5m") == evening.time - 5 * MINUTE);
    assert_true(read_time("20s ago") == evening.last - 20);
    assert_true(read_time("20 s ago") == evening.last - 20);
    assert_true(read_time("20 ago") == evening.last - 20);
    assert_true(read_time("1 min 2 secs ago") == evening.last - 62);
    assert_true(read_time("1.5 hours") == evening.time - 1.5 * HOUR);
    assert_true(read_time("-90") == evening.time - 90);
    assert_true(read_time("-0.5") == evening.time - 0.5);
    assert_true(read_time("-1h") == evening.time - HOUR);
    assert_true(read_time("-2d") == evening.time - 2.0 * 24 * HOUR);
}

static void numbers_of_intervals(void **state)
{
    struct time_spec when;
    assert_int_equal(time_spec_read("#120", &evening, &when, NULL), 0);
    assert_int_equal(when.number, 120);
    assert_string_equal(read_error("#501"), "no interval '501': expected #1 to #500");
    assert_string_equal(read_error("#0"), "no interval '0': expected #1 to #500");
    assert_string_equal(read_error("#"), "no interval '': expected #1 to #500");
}

static void what_is_no_time(void **state)
{
    static const char *const texts[] = {
        "soon",     "25:00", "14:03:61x", "14x",        "-",
        "-5x",      "5mm",   "1 30",      "s ago",      "+5 ago",
        "5 months", "ago",   "-1..2",     "2026-11-20", "12:00 2026-11-20",
        "- 5",      "-m"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        char expected[128];
        snprintf(expected, sizeof(expected),
                 "'%s' is no time: expected 14:03, 14:03:07, 20 s ago, 20, -5m or #120", texts[i]);
        assert_string_equal(read_error(texts[i]), expected);
    }
}

static void the_date_of_another_day(void **state)
{
    char text[TIME_SPEC_SIZE];
    time_spec_write(text, DAY + 23 * HOUR + 1.9, DAY);
    assert_string_equal(text, "23:00:01");
    time_spec_write(text, DAY + 23 * HOUR, DAY + 24 * HOUR);
    assert_string_equal(text, "2026-11-20 23:00:00");
    time_spec_write(text, DAY, DAY + 366.0 * 24 * HOUR);
    assert_string_equal(text, "2026-11-20 00:00:00");
}

static int begin(void **state)
{
    setenv("TZ", "UTC", 1);
    tzset();
    return 0;
}
