#include "base/str.h"
#include "unit/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void printf_takes_any_length(void **state)
{
    struct str s;
    for (int length = 0; length < 300; length++) {
        s = str_new();
        str_add(&s, "<");
        str_printf(&s, "%*s", length, "");
        assert_int_equal(s.length, length + 1);
        assert_int_equal(strlen(s.text), length + 1);
        str_release(&s);
    }
}

static void expect_json(const char *text, const char *json)
{
    AUTO_STR struct str s = str_new();
    str_add_json(&s, text);
    assert_string_equal(s.text, json);
}

static void json_is_escaped(void **state)
{
    expect_json("", "");
    expect_json("a\"b\\c/", "a\\\"b\\\\c/");
    expect_json("\x01\n\x1b\x7f", "\\u0001\\u000a\\u001b\\u007f");
    expect_json("\xc2\x9b", "\\u009b");
    expect_json("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80");
    expect_json("a\xff\xc3", "a\\ufffd\\ufffd");
    expect_json("\xe2\x82x", "\\ufffd\\ufffdx");
}

static void expect_utf8(const char *text, size_t length, unsigned code)
{
    unsigned found = 0;
    assert_int_equal(str_utf8(text, &found), length);
    assert_int_equal(found, code);
}

static void utf8_is_strict(void **state)
{
    expect_utf8("a", 1, 'a');
    expect_utf8("", 1, 0);
    expect_utf8("\xc2\x80", 2, 0x80);
    expect_utf8("\xdf\xbf", 2, 0x7ff);
    expect_utf8("\xe0\xa0\x80", 3, 0x800);
    expect_utf8("\xef\xbf\xbf", 3, 0xffff);
    expect_utf8("\xf0\x90\x80\x80", 4, 0x10000);
    expect_utf8("\xf4\x8f\xbf\xbf", 4, 0x10ffff);
    /* Continuations alone, overlong forms, surrogates, what is beyond Unicode, cut ones. */
    static const char *const bad[] = {
        "\x80",         "\xbf",         "\xc0\x80",         "\xc1\xbf",         "\xe0\x9f\xbf",
        "\xed\xa0\x80", "\xed\xbf\xbf", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80",
        "\xff",         "\xc3",         "\xe2\x82",         "\xf0\x9f\x98",     "\xc3\x28",
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        expect_utf8(bad[i], 0, 0);
}

static void whole_numbers(void **state)
{
    unsigned long long value = 7;
    assert_true(str_to_u64("0", 0, 5, &value));
    assert_int_equal(value, 0);
    assert_true(str_to_u64("18446744073709551615", 0, UINT64_MAX, &value));
    assert_true(value == UINT64_MAX);
    assert_true(str_to_u64("007", 0, 9, &value));
    assert_int_equal(value, 7);
    static const char *const bad[] = {"",
                                      "-1",
                                      "+1",
                                      " 1",
                                      "1 ",
                                      "0x1",
                                      "1.0",
                                      "6",
                                      "18446744073709551616",
                                      "99999999999999999999999"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_false(str_to_u64(bad[i], 0, 5, &value));
    assert_false(str_to_u64("1", 2, 5, &value));
    assert_int_equal(value, 7);
}

static void expect_double(const char *text, double number)
{
    double value;
    assert_true(str_to_double(text, &value));
    assert_true(value == number);
}

static void decimal_numbers(void **state)
{
    expect_double("0", 0);
    expect_double("1.5", 1.5);
    expect_double(".5", .5);
    expect_double("-2.", -2);
    expect_double("+3e2", 300);
    expect_double("1E-3", 1e-3);
    static const char *const bad[] = {"",     " 1",  "1 ",   "1,5",   "x",    "inf",
                                      "-inf", "nan", "+nan", "1e999", "0x10", "-0x1",
                                      ".",    "-",   "1e",   "1.5.2", "--1"};
    double value = 7;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        if (str_to_double(bad[i], &value))
            fail_msg("'%s' was taken for a number", bad[i]);
    assert_true(value == 7);
}

static void times(void **state)
{
    static const struct {
        const char *text;
        double seconds;
    } good[] = {{"20", 20},    {"1.5s", 1.5}, {"500ms", 0.5},    {"1m30s", 90}, {"1 min 30", 90},
                {"2 h", 7200}, {"1d", 86400}, {"250us", 250e-6}, {"7ns", 7e-9}};
    double value;
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        assert_true(str_to_seconds(good[i].text, &value));
        assert_true(fabs(value - good[i].seconds) <= 1e-12 * good[i].seconds);
    }
    static const char *const bad[] = {"",         "s",       "-1", "1x", "1.2.3s", "1 30",
                                      "5 months", "1 s ago", " 1", "5S", "inf"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        if (str_to_seconds(bad[i], &value))
            fail_msg("'%s' was taken for a time", bad[i]);
    assert_true(str_unit_seconds("ms") == 1e-3 && str_unit_seconds("") == 0);
}

static const char *candidate(void *ctx, size_t i)
{
    return ((const char *const *)ctx)[i];
}

static const char *nearest(const char *text)
{
    static const char *const names[] = {"cycles",        "instructions", "branches",
                                        "branch-misses", "cpu",          NULL};
    return str_nearest(text, candidate, (void *)names);
}

static void nearest_names(void **state)
{
    assert_string_equal(nearest("cycles"), "cycles");
    assert_string_equal(nearest("cycels"), "cycles");
    assert_string_equal(nearest("CYCLES"), "cycles");
    assert_string_equal(nearest("cyles"), "cycles");
    assert_string_equal(nearest("instrctions"), "instructions");
    assert_string_equal(nearest("branch-mises"), "branch-misses");
    assert_string_equal(nearest("cp"), "cpu");
    assert_null(nearest("x"));
    assert_null(nearest("faults"));
    assert_null(nearest("abcdef"));
    static const char *const none[] = {NULL};
    assert_null(str_nearest("cycles", candidate, (void *)none));
    /* As long as a name can be that is still compared, and longer. */
    char wide[65];
    memset(wide, 'a', 64);
    wide[64] = '\0';
    const char *same[] = {wide, NULL};
    assert_null(str_nearest(wide, candidate, same));
    wide[63] = '\0';
    assert_ptr_equal(str_nearest(wide, candidate, same), wide);
}

static void visible_text_stays_on_its_line(void **state)
{
    AUTO_STR struct str s = str_new();
    str_add_visible(&s, "a\n\x1b[1m\x7f\xc2\x9b\\ \"\xc3\xa9\xff\xc3");
    assert_string_equal(s.text, "a\\x0a\\x1b[1m\\x7f\\x9b\\ \"\xc3\xa9\xef\xbf\xbd\xef\xbf\xbd");
    str_clear(&s);
    str_add_visible(
        &s, "\u061c\u200d\u200e\u200f\u2027\u2028\u2029\u202a\u202e\u2065\u2066\u2069\u206a");
    assert_string_equal(s.text, "\\u061c\u200d\\u200e\\u200f\u2027\\u2028\\u2029\\u202a\\u202e"
                                "\u2065\\u2066\\u2069\u206a");
    str_clear(&s);
    str_add_json(&s, "a\u202eb\ufffe");
    assert_string_equal(s.text, "a\\u202eb\ufffe");
    str_clear(&s);
    /* Noncharacters (Unicode 23.7). */
    str_add_visible(&s, "\ufdcf\ufdd0\ufdef\ufdf0\ufffd\ufffe\uffff\U0001fffd\U0001fffe");
    assert_string_equal(s.text, "\ufdcf\\ufdd0\\ufdef\ufdf0\ufffd\\ufffe\\uffff\U0001fffd\\u1fffe");
}
