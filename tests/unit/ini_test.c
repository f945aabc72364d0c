#include "base/ini.h"
#include "base/str.h"
#include "unit/test.h"

#include <string.h>

/* Writes down each entry as "line[section]name=value;"; refuses the name "bad". */
static int note(void *ctx, const char *section, const char *name, const char *value, int line,
                struct err *err)
{
    if (strcmp(name, "bad") == 0)
        return err_set(err, "'%s' is refused", value);
    str_printf(ctx, "%d[%s]%s=%s;", line, section, name, value);
    return 0;
}

static void expect(const char *text, const char *entries)
{
    AUTO_STR struct str seen = str_new();
    struct err err = {""};
    int result = ini_read(text, "x.ini", NULL, note, &seen, &err);
    assert_string_equal(err.text, "");
    assert_int_equal(result, 0);
    assert_string_equal(seen.text, entries);
}

static void expect_error(const char *text, const char *message)
{
    AUTO_STR struct str seen = str_new();
    struct err err = {""};
    assert_int_equal(ini_read(text, "x.ini", NULL, note, &seen, &err), -1);
    assert_string_equal(err.text, message);
}

static void entries_come_in_order_with_their_lines(void **state)
{
    expect("", "");
    expect("\n\n", "");
    expect("a=1", "1[]a=1;");
    expect("[s]\na = 1\n\nb =2\n[t u]\na= x y \n", "2[s]a=1;4[s]b=2;6[t u]a=x y;");
    expect("[s]\r\na = 1\r\n", "2[s]a=1;");
    expect("[s]\na =\n", "2[s]a=;");
    expect("\xef\xbb\xbf[s]\na = 1\n", "2[s]a=1;");
}

static void comments_are_dropped(void **state)
{
    expect("; c\n# c\n  ; c\n[s] ; c\na = 1 ; c\nb = #fff\nc = x;y\n",
           "5[s]a=1;6[s]b=#fff;7[s]c=x;y;");
}

static void indentation_means_nothing(void **state)
{
    expect("[s]\na = 1\n  b = 2\n\tc = 3\n \v\f d = 4\n  [t]\n  e = 5\n",
           "2[s]a=1;3[s]b=2;4[s]c=3;5[s]d=4;7[t]e=5;");
    expect_error("[s]\na = 1\n  and more\n", "x.ini:3: expected '[section]' or 'name = value'");
}

static void malformed_lines_are_named(void **state)
{
    expect_error("[s]\nnothing\n", "x.ini:2: expected '[section]' or 'name = value'");
    expect_error("[s\na = 1\n", "x.ini:1: expected '[section]' or 'name = value'");
    expect_error("[s]\n = 1\n", "x.ini:2: no name before '='");
    expect_error("[s] a = 1\n", "x.ini:1: text after the ']' of a section's name");
    expect_error("\xef\xbb\xbf\xef\xbb\xbf[s] a = 1\n",
                 "x.ini:1: text after the ']' of a section's name");
}

static void what_the_library_would_cut_is_refused(void **state)
{
    char text[512];
    memset(text, 'x', sizeof(text));
    memcpy(text, "a=", 2);
    strcpy(text + INI_LINE_SIZE, "\n");
    struct str seen;
    struct err err;
    seen = str_new();
    assert_int_equal(ini_read(text, "x.ini", NULL, note, &seen, &err), 0);
    assert_int_equal(seen.length, strlen("1[]a=") + INI_LINE_SIZE - 2 + 1);
    str_release(&seen);

    memset(text, 'x', sizeof(text));
    memcpy(text, "\na=", 3);
    strcpy(text + 1 + INI_LINE_SIZE + 1, "\n");
    expect_error(text, "x.ini:2: the line is too long");

    memset(text, 'x', sizeof(text));
    text[0] = '[';
    strcpy(text + 1 + INI_SECTION_SIZE, "]\na=1");
    assert_int_equal(ini_read(text, "x.ini", NULL, note, &seen, &err), 0);
    assert_int_equal(seen.length, strlen("2[]a=1;") + INI_SECTION_SIZE);
    str_release(&seen);

    text[1 + INI_SECTION_SIZE] = 'x';
    strcpy(text + 2 + INI_SECTION_SIZE, "]\n");
    expect_error(text, "x.ini:1: the section's name is too long");
}

static void the_first_mistake_is_told(void **state)
{
    expect_error("a = 1\nbad = 2\nc = 3\n", "x.ini:2: '2' is refused");
    expect_error("oops\nbad = 2\n", "x.ini:1: expected '[section]' or 'name = value'");
    expect_error("bad = 2\noops\n", "x.ini:1: '2' is refused");
}

static void entries_end_with_a_refusal(void **state)
{
    AUTO_STR struct str seen = str_new();
    assert_int_equal(ini_read("a=1\nbad=2\nc=3\n", "x", NULL, note, &seen, NULL), -1);
    assert_string_equal(seen.text, "1[]a=1;");
}

static void sections_have_kinds(void **state)
{
    assert_string_equal(ini_section("metric ipc", "metric"), "ipc");
    assert_string_equal(ini_section("metric  ipc", "metric"), "ipc");
    assert_string_equal(ini_section("metric ", "metric"), "");
    assert_null(ini_section("metric", "metric"));
    assert_null(ini_section("metrics ipc", "metric"));
    assert_null(ini_section("screen ipc", "metric"));

    static const char *const keys[] = {"width", "title", NULL};
    struct err err;
    assert_int_equal(ini_unknown_key("widht", "metric", keys, &err), -1);
    assert_string_equal(err.text, "a metric has no key 'widht': did you mean 'width'?");
    assert_int_equal(ini_unknown_key("colour", "metric", keys, &err), -1);
    assert_string_equal(err.text, "a metric has no key 'colour'");
}
