#include "base/embed.h"
#include "metric/machine.h"
#include "metric/metric_set.h"
#include "unit/test.h"
#include "view/column.h"
#include "view/screen.h"

#include "unit/handmade.h"

#include <stdio.h>

static void load(struct screen_list *list, const char *text)
{
    struct err err = {""};
    int result = screen_list_load(list, text, "s.ini", &err);
    assert_string_equal(err.text, "");
    assert_int_equal(result, 0);
}

static void expect_error(const char *text, const char *message)
{
    struct screen_list list = {0};
    struct err err = {""};
    assert_int_equal(screen_list_load(&list, text, "s.ini", &err), -1);
    assert_string_equal(err.text, message);
    assert_int_equal(list.count, 0);
    screen_list_release(&list);
}

static void widths_and_quotes(void **state)
{
    struct screen_list list = {0};
    load(&list, "[screen s]\ncolumns = pid 'a b' \"it's 1\" cycles:k command\n"
                "widths = pid:9 'a b':12\nwidths = cycles:k:30  command:200 \"it's 1\":3\n");
    const struct screen *screen = &list.screens[0];
    assert_int_equal(screen->columns.count, 5);
    assert_string_equal(screen->columns.items[1], "a b");
    assert_string_equal(screen->columns.items[2], "it's 1");
    assert_int_equal(screen_width(screen, "pid"), 9);
    assert_int_equal(screen_width(screen, "a b"), 12);
    assert_int_equal(screen_width(screen, "it's 1"), 3);
    assert_int_equal(screen_width(screen, "cycles:k"), 30);
    assert_int_equal(screen_width(screen, "command"), 200);
    assert_int_equal(screen_width(screen, "cycles"), 0);
    struct screen *copy = screen_copy(screen);
    screen_set_width(copy, "pid", 0);
    screen_set_width(copy, "command", 4);
    screen_set_width(copy, "user", 0);
    assert_int_equal(screen_width(copy, "pid"), 0);
    assert_int_equal(screen_width(copy, "command"), 4);
    assert_int_equal(screen_width(screen, "command"), 200);
    screen_free(copy);
    screen_list_release(&list);
    static const char *const wrong[] = {"pid",     "pid:",    ":4",    "pid:2",
                                        "pid:201", "'pid':x", "pid:-4"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
        char text[80], message[160];
        snprintf(text, sizeof(text), "[screen s]\ncolumns = pid\nwidths = %s\n", wrong[i]);
        snprintf(message, sizeof(message),
                 "s.ini:3: widths has '%s': expected COLUMN:WIDTH, from 3 to 200",
                 wrong[i] + (*wrong[i] == '\''));
        expect_error(text, message);
    }
    expect_error("[screen s]\ncolumns = pid\nwidths = user:8\n",
                 "s.ini:2: screen 's' has a width but no column 'user'");
}

static void mistakes_name_their_line(void **state)
{
    expect_error("[screen a]\nevents = cycles\n", "s.ini:2: screen 'a' has no columns");
    expect_error("[screen a]\ncolumns =\n", "s.ini:2: screen 'a' has no columns");
    expect_error("[screen a]\ncolumns = pid ipc pid\n", "s.ini:2: columns names 'pid' twice");
    expect_error("[screen a]\ncolumns = pid\nsort = ipc\n",
                 "s.ini:2: screen 'a' has no column 'ipc' to sort by");
    expect_error("[screen a]\ncolums = pid\n",
                 "s.ini:2: a screen has no key 'colums': did you mean 'columns'?");
    expect_error("[screen a]\ncolumns = pid ipc\ncolumns = pid\n",
                 "s.ini:3: columns names 'pid' twice");
    expect_error("[screen a]\nview = cpu\n", "s.ini:2: view is 'cpu': expected tasks or cpus");
    expect_error("[screen @zen]\ncolumns = pid\n",
                 "s.ini:2: no name for a screen '@zen': expected one word");
    expect_error("[screen a b]\ncolumns = pid\n",
                 "s.ini:2: no name for a screen 'a b': expected one word");
}
