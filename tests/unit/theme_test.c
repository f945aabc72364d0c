#include "front/term/theme.h"
#include "unit/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

static void errors_name_line_and_nearest(void **state)
{
    expect_error("[roles]\n\nselectde = red\n",
                 "t.theme:3: unknown role 'selectde'; did you mean 'selected'?");
    expect_error("[roles]\nbad = red blod\n",
                 "t.theme:2: unknown colour 'blod'; did you mean 'bold'?");
    static const char *const others[] = {"[roles]\nzzz = red\n",         "[roles]\nbad = 256\n",
                                         "[roles]\nbad = red blue\n",    "[roles]\nbad = red on\n",
                                         "[roles]\nbad = red on bold\n", "[role]\nbad = red\n",
                                         "[theme]\nname = x\n"};
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
        struct theme theme = {0};
        assert_int_equal(theme_read(&theme, others[i], "t.theme", NULL), -1);
    }
}

/* Where there are no colours, rows and titles still have to stand out. */
static void mono_uses_no_color(void **state)
{
    struct theme theme;
    assert_int_equal(theme_load(&theme, "mono", NULL), 0);
    for (size_t role = 0; role < ROLE_NAMES; role++) {
        struct appearance as = theme_appearance(&theme, (enum role)role, 256);
        assert_int_equal(as.foreground, -1);
        assert_int_equal(as.background, -1);
    }
    assert_true(theme.many.styles[ROLE_SELECTED].attributes & STYLE_REVERSE);
    assert_true(theme.many.styles[ROLE_HEADING_SORT].attributes !=
                theme.many.styles[ROLE_HEADING].attributes);
}

/* Without colours, or to eyes that do not tell them apart, a warning still is one. */
static void mono_tells_roles_apart(void **state)
{
    static const enum role apart[][2] = {
        {ROLE_COUNTED, ROLE_BAD},          {ROLE_COUNTED, ROLE_SCALED},
        {ROLE_COUNTED, ROLE_MISSING},      {ROLE_MISSING, ROLE_UNDEFINED},
        {ROLE_COUNTED, ROLE_DEAD},         {ROLE_COUNTED, ROLE_TAGGED},
        {ROLE_COUNTED, ROLE_WATCHED},      {ROLE_TAGGED, ROLE_WATCHED},
        {ROLE_HEADING, ROLE_HEADING_SORT}, {ROLE_SELECTED, ROLE_COUNTED},
        {ROLE_TEXT, ROLE_NOTICE},          {ROLE_NOTICE, ROLE_ERROR},
        {ROLE_KEY, ROLE_KEY_LABEL},        {ROLE_TEXT, ROLE_OTHER_USER},
    };
    struct theme theme;
    assert_int_equal(theme_load(&theme, "mono", NULL), 0);
    for (size_t i = 0; i < sizeof(apart) / sizeof(apart[0]); i++)
        assert_int_not_equal(theme.many.styles[apart[i][0]].attributes,
                             theme.many.styles[apart[i][1]].attributes);
}

/* Relative luminance and contrast, from 1 to 21: Web Content Accessibility Guidelines 2.2. */
static double luminance(unsigned rgb)
{
    static const double weights[] = {0.2126, 0.7152, 0.0722};
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        double part = (rgb >> (16 - 8 * i) & 0xff) / 255.0;
        sum += weights[i] * (part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4));
    }
    return sum;
}

static double contrast(unsigned a, unsigned b)
{
    double x = luminance(a) + 0.05, y = luminance(b) + 0.05;
    return x > y ? x / y : y / x;
}

/* As a terminal with that many colours shows it; its own are white on black, or the reverse. */
static unsigned shown(int number, int colors, bool light, bool background)
{
    if (number < 0)
        return light == background ? 0xffffff : 0x000000;
    struct color color = {colors > 256 && number >= 8 ? COLOR_RGB : COLOR_INDEX, (unsigned)number};
    return color_rgb(color);
}

static void check_contrast(const char *name, const struct theme *theme, int colors)
{
    bool light = strstr(name, "light") != NULL;
    for (size_t i = 0; i < ROLE_COUNT; i++) {
        struct appearance as = theme_appearance(theme, (enum role)i, colors);
        bool main = i == ROLE_TEXT || i == ROLE_COUNTED || i == ROLE_SELECTED;
        double least = colors >= 256 || main ? 4.5 : 3;
        double found = contrast(shown(as.foreground, colors, light, false),
                                shown(as.background, colors, light, true));
        /* Terminals draw bold black as grey, which cannot be read on a colour. */
        if (colors <= 256 && as.foreground == 0 && (as.attributes & STYLE_BOLD))
            fail_msg("%s, %d colours: %s is bold and black", name, colors, role_name((enum role)i));
        if (found < least)
            fail_msg("%s, %d colours: %s has a contrast of %.2f, not %.1f", name, colors,
                     role_name((enum role)i), found, least);
    }
}

/* With 16 colours as xterm has them; with 8 bold stands for bright. */
static void built_in_themes_can_be_read(void **state)
{
    struct theme_list list;
    theme_list_make(&list);
    for (size_t i = 0; i < list.count; i++) {
        const char *name = list.entries[i].name;
        struct theme theme;
        assert_int_equal(theme_load(&theme, name, NULL), 0);
        check_contrast(name, &theme, 16);
        check_contrast(name, &theme, 256);
        check_contrast(name, &theme, 1 << 24);
    }
    theme_list_release(&list);
}

/* A larger amount is never drawn nearer to the background; 24 shades, 8 of 256 colours, and with
 * fewer one that is bold. */
static void amounts_are_in_order(void **state)
{
    struct theme_list list;
    theme_list_make(&list);
    for (size_t t = 0; t < list.count; t++) {
        const char *name = list.entries[t].name;
        bool light = strstr(name, "light") != NULL;
        struct theme theme;
        assert_int_equal(theme_load(&theme, name, NULL), 0);
        for (int colors = 0; colors <= 1 << 24; colors = colors ? colors << 4 : 16) {
            if (colors != 0 && colors != 16 && colors != 256 && colors != 1 << 24)
                continue;
            double before = 0;
            size_t shades = 1;
            struct appearance last = theme_appearance(&theme, ROLE_AMOUNT, colors);
            for (int i = 0; i < AMOUNT_STEPS; i++) {
                struct appearance as =
                    theme_appearance(&theme, (enum role)(ROLE_AMOUNT + i), colors);
                double now = contrast(shown(as.foreground, colors, light, false),
                                      shown(as.background, colors, light, true));
                if (now < before)
                    fail_msg("%s, %d colours: shade %d is darker than the one before", name, colors,
                             i);
                shades += as.foreground != last.foreground || as.attributes != last.attributes;
                before = now;
                last = as;
            }
            bool mono = strcmp(name, "mono") == 0;
            if (colors == 1 << 24)
                assert_int_equal(shades, mono ? 2 : 24);
            else if (colors < 256 || mono)
                assert_int_equal(shades, 2);
            else
                assert_in_range(shades, 2, 8);
        }
    }
    theme_list_release(&list);
}

/* Colours of its own are what the roles of the default theme are made of. */
static void a_theme_of_colours_alone(void **state)
{
    char path[] = "/tmp/theme_test.XXXXXX";
    FILE *file = fdopen(mkstemp(path), "w");
    fputs("[colours]\naccent = #123456\nink = #fedcba\n[roles]\nnotice = quiet on accent\n", file);
    fclose(file);
    struct theme theme;
    assert_int_equal(theme_load(&theme, path, NULL), 0);
    unlink(path);
    struct appearance as = theme_appearance(&theme, ROLE_SELECTED, 1 << 24);
    assert_int_equal(as.foreground, 0xfedcba);
    assert_int_equal(as.background, 0x123456);
    as = theme_appearance(&theme, ROLE_NOTICE, 1 << 24);
    assert_int_equal(as.background, 0x123456);
    expect_error("[colours]\naccent = ink\n",
                 "t.theme:2: unknown colour 'ink': expected a name such as 'red' or 'bright-red', "
                 "'default', 0 to 255, or #rrggbb");
    expect_error("[colours]\nacent = red\n",
                 "t.theme:2: unknown name 'acent'; did you mean 'accent'?");
}

static void looks_of_fewer_colors(void **state)
{
    struct theme theme = read_theme("[roles 16]\nbad = bright-red bold\ntext = white on black\n"
                                    "good = green\n"
                                    "[roles]\ntext = #eeeeee on #111111\nbad = #ff8000 underline\n"
                                    "good = #00ff00\nselected = on #0000ff\n");
    struct appearance as = theme_appearance(&theme, ROLE_BAD, 256);
    assert_int_equal(as.foreground, 208);
    assert_int_equal(as.background, 233);
    assert_int_equal(as.attributes, STYLE_UNDERLINE);
    as = theme_appearance(&theme, ROLE_BAD, 1 << 24);
    assert_int_equal(as.foreground, 0xff8000);
    as = theme_appearance(&theme, ROLE_BAD, 16);
    assert_int_equal(as.foreground, 9);
    assert_int_equal(as.background, 0); /* that of its own text */
    assert_int_equal(as.attributes, STYLE_BOLD);
    as = theme_appearance(&theme, ROLE_BAD, 8);
    assert_int_equal(as.foreground, 1);
    assert_int_equal(as.attributes, STYLE_BOLD);
    /* What has no other look for 16 colours has the nearest. */
    as = theme_appearance(&theme, ROLE_SELECTED, 88);
    assert_int_equal(as.background, 4);
    /* And without colours a background is a reversal. */
    as = theme_appearance(&theme, ROLE_SELECTED, 0);
    assert_int_equal(as.foreground, -1);
    assert_int_equal(as.background, -1);
    assert_int_equal(as.attributes, STYLE_REVERSE);
    as = theme_appearance(&theme, ROLE_GOOD, 0);
    assert_int_equal(as.attributes, 0);
}

static void write_file(const char *directory, const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof(path), "%s/countertop/%s", directory, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static const struct theme_entry *find_entry(const struct theme_list *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->entries[i].name, name) == 0)
            return &list->entries[i];
    return NULL;
}

/* Files of the user are found by name, before built-in ones, and listed with what is wrong. */
static void themes_of_the_user(void **state)
{
    char directory[] = "/tmp/theme_test.XXXXXX", path[256];
    assert_non_null(mkdtemp(directory));
    snprintf(path, sizeof(path), "%s/countertop", directory);
    assert_int_equal(mkdir(path, 0700), 0);
    write_file(directory, "mine.theme", "[theme]\ndescription = my own\n[roles]\nbad = 17\n");
    write_file(directory, "nord.theme", "[roles]\nbad = 18\n");
    write_file(directory, "wrong.theme", "[roles]\nbad = rde\n");
    write_file(directory, "mine.ini", "");
    setenv("XDG_CONFIG_HOME", directory, 1);

    struct theme theme;
    assert_int_equal(theme_load(&theme, "mine", NULL), 0);
    expect_color(theme.many.styles[ROLE_BAD].foreground, COLOR_INDEX, 17);
    assert_int_equal(theme_load(&theme, "nord", NULL), 0);
    expect_color(theme.many.styles[ROLE_BAD].foreground, COLOR_INDEX, 18);
    struct err err = {""};
    assert_int_equal(theme_load(&theme, "wrong", &err), -1);
    assert_non_null(strstr(err.text, "/countertop/wrong.theme:2: unknown colour 'rde'"));
    assert_int_equal(theme_load(&theme, "mien", &err), -1);
    assert_non_null(strstr(err.text, "did you mean 'mine'?"));

    struct theme_list list;
    theme_list_make(&list);
    assert_int_equal(list.count, 13);
    assert_string_equal(find_entry(&list, "mine")->description, "my own");
    assert_string_equal(find_entry(&list, "mine")->err.text, "");
    assert_string_equal(find_entry(&list, "nord")->description, "");
    assert_non_null(strstr(find_entry(&list, "wrong")->err.text, "unknown colour 'rde'"));
    for (size_t i = 1; i < list.count; i++)
        assert_true(strcmp(list.entries[i - 1].name, list.entries[i].name) < 0);
    theme_list_release(&list);

    unsetenv("XDG_CONFIG_HOME");
    static const char *const files[] = {"mine.theme", "nord.theme", "wrong.theme", "mine.ini", ""};
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        snprintf(path, sizeof(path), "%s/countertop/%s", directory, files[i]);
        assert_int_equal(remove(path), 0);
    }
    assert_int_equal(remove(directory), 0);
}

static int number(const char *text, int colors, enum color_help *help)
{
    struct color color;
    assert_true(color_parse(text, &color));
    return color_number(color, colors, help);
}

static void colors_fall_back_to_the_nearest(void **state)
{
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
