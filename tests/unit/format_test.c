#include "unit/test.h"
#include "view/format.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static void expect_count(double number, int width, const char *expected)
{
    char text[FORMAT_SIZE];
    format_count(text, number, width);
    assert_string_equal(text, expected);
}

static void expect_fixed(double number, int decimals, int width, const char *expected)
{
    char text[FORMAT_SIZE];
    format_fixed(text, number, decimals, width);
    assert_string_equal(text, expected);
}

static void expect_duration(double seconds, int width, const char *expected)
{
    char text[FORMAT_SIZE];
    format_duration(text, seconds, width);
    assert_string_equal(text, expected);
}

static void counts_have_three_digits(void **state)
{
    expect_count(0, 6, "0");
    expect_count(1, 6, "1");
    expect_count(1.04, 6, "1.0");
    expect_count(9.94, 6, "9.9");
    expect_count(10.4, 6, "10");
    expect_count(999, 6, "999");
    expect_count(999.4, 6, "999");
    expect_count(1000, 6, "1.00k");
    expect_count(1234, 6, "1.23k");
    expect_count(12345, 6, "12.3k");
    expect_count(123456, 6, "123k");
    expect_count(1234567, 6, "1.23M");
    expect_count(1e9, 6, "1.00G");
    expect_count(1e12, 6, "1.00T");
    expect_count(1e15, 6, "1.00P");
    expect_count(18446744073709551615.0, 6, "18.4E");
    expect_count(-1234, 6, "-1.23k");
}

static void counts_round_into_the_next_form(void **state)
{
    expect_count(9.96, 6, "10");
    expect_count(999.6, 6, "1.00k");
    expect_count(9994, 6, "9.99k");
    expect_count(9996, 6, "10.0k");
    expect_count(99960, 6, "100k");
    expect_count(999400, 6, "999k");
    expect_count(999600, 6, "1.00M");
}

static void only_zero_is_shown_as_zero(void **state)
{
    expect_count(0.05, 6, "0.1");
    expect_count(0.04, 6, "<0.1");
    expect_count(1e-12, 6, "<0.1");
    expect_count(-0.04, 6, ">-0.1");
    expect_count(-0.0, 6, "0");
}

static void expect_digits(double number, int width, const char *expected)
{
    char text[FORMAT_SIZE];
    format_digits(text, number, width);
    assert_string_equal(text, expected);
}

static void all_digits(void **state)
{
    expect_digits(0, 13, "0");
    expect_digits(0.4, 13, "<1");
    expect_digits(0.5, 13, "1");
    expect_digits(1234567, 13, "1234567");
    expect_digits(9999999999999.0, 13, "9999999999999");
    expect_digits(12345678901234.0, 13, "12.3T");
    expect_digits(-12, 13, "-12");
    expect_digits(1234, 2, "1k");
    expect_digits(0.1, 1, "#");
}

static void what_does_not_fit_loses_decimals(void **state)
{
    expect_count(1234, 5, "1.23k");
    expect_count(1234, 4, "1.2k");
    expect_count(1234, 3, "1k");
    expect_count(1234, 2, "1k");
    expect_count(1234, 1, "#");
    expect_count(123456, 3, "###");
    expect_count(999600, 3, "1M");
    expect_count(1.4, 2, "1");
    expect_count(999, 2, "##");
    expect_count(0.04, 3, "###");
    expect_count(1e30, 6, "######");
    expect_count(NAN, 6, "######");
    expect_count(INFINITY, 4, "####");
    expect_count(1, 0, "");
    expect_count(1, -5, "");
    expect_count(1e30, 1000, "###############################");
}

static void fixed_decimals(void **state)
{
    expect_fixed(1.235, 2, 5, "1.24");
    expect_fixed(0, 2, 5, "0.00");
    expect_fixed(0.001, 2, 5, "0.00");
    expect_fixed(-0.001, 2, 5, "0.00");
    expect_fixed(-0.01, 2, 5, "-0.01");
    expect_fixed(100, 1, 6, "100.0");
    expect_fixed(12800, 1, 6, "12800");
    expect_fixed(99.999, 2, 5, "100.0");
    expect_fixed(99.999, 2, 6, "100.00");
    expect_fixed(3012.4567, 1, 8, "3012.5");
    expect_fixed(7, 0, 1, "7");
    expect_fixed(1.5, 99, 20, "1.500000000");
    expect_fixed(0.05, 2, 4, "0.05");
    expect_fixed(123456789, 2, 6, "123M");
    expect_fixed(1234567, 0, 7, "1234567");
    expect_fixed(1234567, 0, 6, "1.23M");
    expect_fixed(12345, 2, 2, "##");
    expect_fixed(1e20, 2, 30, "100E");
    expect_fixed(1e25, 2, 6, "######");
    expect_fixed(NAN, 2, 4, "####");
}

static void ids_are_whole_or_not_at_all(void **state)
{
    char text[FORMAT_SIZE];
    format_id(text, 4194304, 7);
    assert_string_equal(text, "4194304");
    format_id(text, 4194304, 6);
    assert_string_equal(text, "######");
    format_id(text, -1, 2);
    assert_string_equal(text, "-1");
    format_id(text, INT64_MIN, 20);
    assert_string_equal(text, "-9223372036854775808");
}

static void durations(void **state)
{
    expect_duration(0, 6, "0s");
    expect_duration(850e-9, 6, "850ns");
    expect_duration(0.4e-9, 6, "0ns");
    expect_duration(12.34e-6, 6, "12.3us");
    expect_duration(4.561e-3, 6, "4.56ms");
    expect_duration(0.9999, 6, "1.00s");
    expect_duration(9.99, 6, "9.99s");
    expect_duration(59.9, 6, "59.9s");
    expect_duration(59.96, 6, "1m00s");
    expect_duration(754, 6, "12m34s");
    expect_duration(3599.6, 6, "1h00m");
    expect_duration(5 * 3600 + 6 * 60, 6, "5h06m");
    expect_duration(12 * 86400 + 3 * 3600, 6, "12d03h");
    expect_duration(754, 4, "12m");
    expect_duration(4.561e-3, 5, "4.6ms");
    expect_duration(4.561e-3, 3, "5ms");
    expect_duration(754, 2, "##");
    expect_duration(-1, 3, "###");
    expect_duration(NAN, 3, "###");
}

static void every_width_is_kept(void **state)
{
    static const double numbers[] = {0, 0.01, 0.3, 1, 9.95, 99.5, 999.5, 12345.678, 1e7, 9.995e11};
    char text[FORMAT_SIZE];
    for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
        for (int width = 1; width < 12; width++)
            for (int sign = -1; sign <= 1; sign += 2) {
                format_count(text, sign * numbers[i], width);
                assert_in_range(strlen(text), 1, width);
                format_fixed(text, sign * numbers[i], 3, width);
                assert_in_range(strlen(text), 1, width);
                format_duration(text, numbers[i], width);
                assert_in_range(strlen(text), 1, width);
            }
}

static void the_locale_changes_nothing(void **state)
{
    if (!setlocale(LC_NUMERIC, "de_DE.UTF-8") && !setlocale(LC_NUMERIC, "fr_FR.UTF-8")) {
        puts("skip: neither the locale de_DE.UTF-8 nor fr_FR.UTF-8 is here");
        skip();
    }
    expect_count(1234, 6, "1.23k");
    expect_fixed(1.5, 2, 6, "1.50");
    setlocale(LC_NUMERIC, "C");
}

static void expect_clean(const char *text, bool ascii, const char *expected)
{
    char clean[64];
    text_clean(clean, sizeof(clean), text, ascii);
    assert_string_equal(clean, expected);
}

static void text_from_outside_is_harmless(void **state)
{
    expect_clean("plain text", false, "plain text");
    expect_clean("a\tb\nc\033[2J\x7f", false, "a?b?c?[2J?");
    expect_clean("na\xc3\xafve", false, "na\xc3\xafve");
    expect_clean("na\xc3\xafve", true, "na?ve");
    expect_clean("\xe4\xbd\xa0\xf0\x9f\x98\x80", true, "??");
    expect_clean("a\xff\xc3", false, "a??");
    expect_clean("\xc2\x9b"
                 "1m",
                 false, "?1m");
    expect_clean("a\xe2\x80\xae"
                 "b",
                 false, "a?b");
    expect_clean("\xc0\x80", false, "??");
    expect_clean("\ufdcf\ufdd0\ufffd\ufffe\uffff", false, "\ufdcf?\ufffd??");
}

static void text_is_cut_between_characters(void **state)
{
    char small[5];
    text_clean(small, sizeof(small), "abcdef", false);
    assert_string_equal(small, "abc+");
    text_clean(small, sizeof(small), "abc\xc3\xaf", false);
    assert_string_equal(small, "abc+");
    text_clean(small, sizeof(small),
               "ab\xc3\xaf"
               "c",
               false);
    assert_string_equal(small, "ab+");
    text_clean(small, sizeof(small), "abcd", false);
    assert_string_equal(small, "abcd");

    char name[] = "systemd-timesync";
    text_cut(name, 8);
    assert_string_equal(name, "systemd+");
    text_cut(name, 8);
    assert_string_equal(name, "systemd+");
    char wide[] = "\xc3\xa9\xc3\xa9\xc3\xa9";
    text_cut(wide, 3);
    assert_string_equal(wide, "\xc3\xa9\xc3\xa9\xc3\xa9");
    text_cut(wide, 2);
    assert_string_equal(wide, "\xc3\xa9+");
    text_cut(wide, 0);
    assert_string_equal(wide, "");
    assert_non_null(setlocale(LC_CTYPE, "C.UTF-8"));
    char cells[] = "日本語"; /* two each */
    text_cut(cells, 6);
    assert_string_equal(cells, "日本語");
    text_cut(cells, 5);
    assert_string_equal(cells, "日本+");
    text_cut(cells, 4);
    assert_string_equal(cells, "日+");
    setlocale(LC_CTYPE, "C");
}
