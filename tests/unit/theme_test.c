#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "front/tui/theme.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct theme read_theme(const char *text)
{
    struct theme theme = {0};
    struct err err = {""};
    int result = theme_read(&theme, text, "t.theme", &err);
    assert_string_equal(err.text, "");
    assert_int_equal(result, 0);
    return theme;
}

static void expect_error(const char *text, const char *message)
{
    struct theme theme = {0};
    struct err err = {""};
    assert_int_equal(theme_read(&theme, text, "t.theme", &err), -1);
    assert_string_equal(err.text, message);
}

static void expect_color(struct color color, enum color_kind kind, unsigned value)
{
    assert_int_equal(color.kind, kind);
    assert_int_equal(color.value, value);
}

static void roles(void **state)
{
    (void)state;
    struct theme theme = read_theme("[theme]\ndescription = a test\n[roles]\n"
                                    "selected = black on cyan bold underline\n"
                                    "bad = #ff8000 on 17\n"
                                    "heading-sort = reverse\n");
    assert_string_equal(theme.description, "a test");
    const struct style *style = &theme.styles[ROLE_SELECTED];
    expect_color(style->foreground, COLOR_INDEX, 0);
    expect_color(style->background, COLOR_INDEX, 6);
    assert_int_equal(style->attributes, STYLE_BOLD | STYLE_UNDERLINE);
    style = &theme.styles[ROLE_BAD];
    expect_color(style->foreground, COLOR_RGB, 0xff8000);
    expect_color(style->background, COLOR_INDEX, 17);
    assert_int_equal(style->attributes, 0);
    style = &theme.styles[ROLE_HEADING_SORT];
    expect_color(style->foreground, COLOR_DEFAULT, 0);
    assert_int_equal(style->attributes, STYLE_REVERSE);
}

static void colors_left_out_are_those_of_text(void **state)
{
    (void)state;
    struct theme theme = read_theme("[roles]\nbad = red\ntext = white on blue bold\n"
                                    "good = on green\ndim = default on default\n");
    const struct style *bad = &theme.styles[ROLE_BAD], *good = &theme.styles[ROLE_GOOD];
    expect_color(bad->foreground, COLOR_INDEX, 1);
    expect_color(bad->background, COLOR_INDEX, 4);
    assert_int_equal(bad->attributes, 0); /* attributes are a role's own */
    expect_color(good->foreground, COLOR_INDEX, 7);
    expect_color(good->background, COLOR_INDEX, 2);
    expect_color(theme.styles[ROLE_DIM].background, COLOR_DEFAULT, 0);
}

static void errors_name_line_and_nearest(void **state)
{
    (void)state;
    expect_error("[roles]\n\nselectde = red\n",
                 "t.theme:3: unknown role 'selectde'; did you mean 'selected'?");
    expect_error("[roles]\nzzz = red\n", "t.theme:2: unknown role 'zzz'");
    expect_error("[roles]\nbad = rde\n", "t.theme:2: unknown colour 'rde'; did you mean 'red'?");
    expect_error("[roles]\nbad = red blod\n",
                 "t.theme:2: unknown colour 'blod'; did you mean 'bold'?");
    expect_error("[roles]\nbad = 256\n",
                 "t.theme:2: unknown colour '256': expected a name such as 'red' or 'bright-red', "
                 "'default', 0 to 255, or #rrggbb");
    expect_error("[roles]\nbad = red blue\n",
                 "t.theme:2: a second colour 'blue': the background is 'on blue'");
    expect_error("[roles]\nbad = red on\n", "t.theme:2: expected a colour after 'on'");
    expect_error("[roles]\nbad = red on bold\n",
                 "t.theme:2: expected a colour after 'on', not 'bold'");
    expect_error("[role]\nbad = red\n",
                 "t.theme:2: unknown section 'role': expected [theme] or [roles]");
    expect_error("[theme]\nname = x\n", "t.theme:2: unknown name 'name': expected 'description'");
}

static void an_error_changes_nothing(void **state)
{
    (void)state;
    struct theme theme = read_theme("[roles]\nbad = red\n"), before = theme;
    assert_int_equal(theme_read(&theme, "[roles]\nbad = blue\ngood = x!\n", "t", NULL), -1);
    assert_memory_equal(&theme, &before, sizeof(theme));
}

static void built_in_themes_are_complete(void **state)
{
    (void)state;
    struct err err = {""};
    char name[64];
    size_t count = 0, found = 0;
    for (; theme_name(count, name, sizeof(name)); count++) {
        struct theme theme;
        theme_load(&theme, name, &err);
        assert_string_equal(err.text, "");
        assert_true(theme.description[0]);
        for (size_t role = 0; role < ROLE_COUNT; role++)
            assert_int_not_equal(theme.styles[role].foreground.kind, COLOR_UNSET);
        const char *wanted[] = {"dark", "light", "mono", "high-contrast"};
        for (size_t i = 0; i < 4; i++)
            found += strcmp(name, wanted[i]) == 0;
    }
    assert_int_equal(found, 4);
}

/* Where there are no colours, rows and titles still have to stand out. */
static void mono_uses_no_color(void **state)
{
    (void)state;
    struct theme theme;
    assert_int_equal(theme_load(&theme, "mono", NULL), 0);
    for (size_t role = 0; role < ROLE_COUNT; role++) {
        assert_int_equal(theme.styles[role].foreground.kind, COLOR_DEFAULT);
        assert_int_equal(theme.styles[role].background.kind, COLOR_DEFAULT);
    }
    assert_true(theme.styles[ROLE_SELECTED].attributes & STYLE_REVERSE);
    assert_true(theme.styles[ROLE_HEADING_SORT].attributes !=
                theme.styles[ROLE_HEADING].attributes);
}

static void unknown_themes(void **state)
{
    (void)state;
    struct err err = {""};
    assert_int_equal(theme_check("dark", &err), 0);
    assert_int_equal(theme_check("drak", &err), -1);
    assert_non_null(strstr(err.text, "unknown theme 'drak'; did you mean 'dark'?"));
    assert_int_equal(theme_check("solarized", &err), -1);
    assert_non_null(strstr(err.text, "unknown theme 'solarized': expected one of "));
    assert_int_equal(theme_check("", &err), -1);
    assert_int_equal(theme_check("./no/such.theme", &err), -1);
    assert_non_null(strstr(err.text, "cannot read './no/such.theme'"));
}

static void theme_of_a_file(void **state)
{
    (void)state;
    char path[] = "/tmp/theme_test.XXXXXX";
    int fd = mkstemp(path);
    FILE *file = fdopen(fd, "w");
    fputs("[roles]\nbad = blue\n", file);
    fclose(file);
    struct theme theme, dark;
    assert_int_equal(theme_load(&theme, path, NULL), 0);
    assert_int_equal(theme_load(&dark, THEME_DEFAULT, NULL), 0);
    unlink(path);
    expect_color(theme.styles[ROLE_BAD].foreground, COLOR_INDEX, 4);
    assert_memory_equal(&theme.styles[ROLE_SELECTED], &dark.styles[ROLE_SELECTED],
                        sizeof(struct style));
}

static int number(const char *text, int colors, enum color_help *help)
{
    struct color color;
    assert_true(color_parse(text, &color));
    return color_number(color, colors, help);
}

static void colors_fall_back_to_the_nearest(void **state)
{
    (void)state;
    enum color_help help;
    assert_int_equal(number("default", 256, &help), -1);
    assert_int_equal(number("red", 256, &help), 1);
    assert_int_equal(number("#ff8700", 256, &help), 208);
    assert_int_equal(number("#808080", 256, &help), 244);
    assert_int_equal(number("208", 256, &help), 208);
    assert_int_equal(number("bright-red", 16, &help), 9);
    assert_int_equal(number("#ff1010", 16, &help), 9);
    assert_int_equal(number("bright-red", 8, &help), 1);
    assert_int_equal(help, COLOR_WITH_BOLD);
    assert_int_equal(number("bright-black", 8, &help), -1);
    assert_int_equal(help, COLOR_WITH_DIM);
    assert_int_equal(number("red", 8, &help), 1);
    assert_int_equal(help, COLOR_EXACT);
    assert_int_equal(number("red", 0x1000000, &help), 1);
    assert_int_equal(number("bright-red", 0x1000000, &help), 0xff0000);
    assert_int_equal(number("#123456", 0x1000000, &help), 0x123456);
    assert_int_equal(number("#000003", 0x1000000, &help), 0);
    assert_int_equal(number("red", 0, &help), -1);
}

static void what_is_no_color(void **state)
{
    (void)state;
    static const char *const texts[] = {"",        "#",  "#12345", "#1234567",
                                        "#12345g", "-1", "256",    "Red"};
    struct color color;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        assert_false(color_parse(texts[i], &color));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(roles),
        cmocka_unit_test(colors_left_out_are_those_of_text),
        cmocka_unit_test(errors_name_line_and_nearest),
        cmocka_unit_test(an_error_changes_nothing),
        cmocka_unit_test(built_in_themes_are_complete),
        cmocka_unit_test(mono_uses_no_color),
        cmocka_unit_test(unknown_themes),
        cmocka_unit_test(theme_of_a_file),
        cmocka_unit_test(colors_fall_back_to_the_nearest),
        cmocka_unit_test(what_is_no_color),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
