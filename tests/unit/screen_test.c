#include "base/embed.h"
#include "metric/machine.h"
#include "metric/metric_set.h"
#include "unit/test.h"
#include "view/column_set.h"
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
    struct screen_list list;
    struct err err = {""};
    screen_list_init(&list);
    assert_int_equal(screen_list_load(&list, text, "s.ini", &err), -1);
    assert_string_equal(err.text, message);
    assert_int_equal(list.count, 0);
    screen_list_release(&list);
}

static void all_keys(void **state)
{
    struct screen_list list;
    screen_list_init(&list);
    load(&list, "[metric m]\nexpr = 1\n[screen one]\ndescription = the first\n"
                "events = {cycles,instructions},page-faults\ncolumns = pid  ipc\tcommand\n"
                "requires = cycles instructions\nsort = ipc\n"
                "[screen two]\ncolumns = cpu_pct pid\n");
    assert_int_equal(list.count, 2);
    const struct screen *one = screen_find(&list, "one");
    assert_non_null(one);
    assert_string_equal(one->description, "the first");
    assert_string_equal(one->events, "{cycles,instructions},page-faults");
    assert_int_equal(one->column_count, 3);
    assert_string_equal(one->columns[0], "pid");
    assert_string_equal(one->columns[1], "ipc");
    assert_string_equal(one->columns[2], "command");
    assert_int_equal(one->require_count, 2);
    assert_string_equal(one->requires[1], "instructions");
    assert_string_equal(one->sort, "ipc");

    const struct screen *two = screen_find(&list, "two");
    assert_string_equal(two->description, "");
    assert_string_equal(two->events, "");
    assert_int_equal(two->require_count, 0);
    assert_string_equal(two->sort, "cpu_pct");
    assert_null(screen_find(&list, "three"));
    screen_list_release(&list);
}

static void a_name_given_again_replaces(void **state)
{
    struct screen_list list;
    screen_list_init(&list);
    load(&list, "[screen a]\ncolumns = pid\nevents = x\n[screen b]\ncolumns = pid\n");
    load(&list, "[screen a]\ncolumns = tid\n");
    assert_int_equal(list.count, 2);
    assert_string_equal(list.screens[0].name, "a");
    assert_string_equal(list.screens[0].columns[0], "tid");
    assert_string_equal(list.screens[0].events, "");

    struct err err;
    assert_int_equal(
        screen_list_load(&list, "[screen a]\ncolumns = x\n[screen c]\nevents = e\n", "s.ini", &err),
        -1);
    assert_int_equal(list.count, 2);
    assert_string_equal(list.screens[0].columns[0], "tid");
    screen_list_release(&list);
}

static void lines_of_lists_add_up(void **state)
{
    struct screen_list list;
    screen_list_init(&list);
    load(&list, "[screen a]\ncolumns = pid ipc\nevents = {x,y}\ncolumns = command\n"
                "events = z\nrequires = x\nrequires = z\n");
    const struct screen *screen = &list.screens[0];
    assert_string_equal(screen->events, "{x,y},z");
    assert_int_equal(screen->column_count, 3);
    assert_string_equal(screen->columns[2], "command");
    assert_int_equal(screen->require_count, 2);
    assert_false(screen->of_cpus);
    screen_list_release(&list);
}

static void the_first_for_this_machine_is_taken(void **state)
{
    struct machine machine = {0};
    struct screen_list list;
    struct err err = {""};
    machine_add(&machine, "amd64_fam19h_zen4");
    assert_int_equal(machine_load(&machine,
                                  "[cpus zen]\nmatch = *_zen[34]\nlabel = AMD Zen\n"
                                  "[cpus old]\nmatch = x y\n",
                                  "s.ini", &err),
                     0);
    screen_list_init(&list);
    list.machine = &machine;
    load(&list, "[screen a]\ncolumns = pid\n[screen b]\ncolumns = pid\n");
    load(&list, "[screen b@old]\ncolumns = tid\n[screen b@zen]\ncolumns = cpu\nview = cpus\n"
                "[screen b]\ncolumns = user\n[screen c@old]\ncolumns = pid\n"
                "[screen c]\ncolumns = pid\ncpus = zen9 zen2\n");
    assert_int_equal(list.count, 2);
    const struct screen *screen = screen_find(&list, "b");
    assert_ptr_equal(screen, &list.screens[1]);
    assert_string_equal(screen->columns[0], "cpu");
    assert_string_equal(screen->cpus, "zen");
    assert_true(screen->of_cpus);
    assert_null(screen_find(&list, "c"));
    char *cpus = screen_elsewhere(&list, "c");
    assert_string_equal(cpus, "old, zen9, zen2");
    free(cpus);
    assert_null(screen_elsewhere(&list, "a"));
    screen_list_release(&list);
    machine_release(&machine);
}

static void widths_and_quotes(void **state)
{
    struct screen_list list;
    screen_list_init(&list);
    load(&list, "[screen s]\ncolumns = pid 'a b' \"it's 1\" cycles:k command\n"
                "widths = pid:9 'a b':12\nwidths = cycles:k:30  command:200 \"it's 1\":3\n");
    const struct screen *screen = &list.screens[0];
    assert_int_equal(screen->column_count, 5);
    assert_string_equal(screen->columns[1], "a b");
    assert_string_equal(screen->columns[2], "it's 1");
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

static void the_first_that_fits_is_taken(void **state)
{
    static const char *const names[] = {"cpu-cycles", "instructions", "cache-misses"};
    struct event_set *set = handmade_set(3, names);
    struct screen_list list;
    screen_list_init(&list);
    assert_null(screen_fitting(&list, set));
    load(&list, "[screen hw]\ncolumns = pid\nrequires = cycles instructions\n"
                "[screen sw]\ncolumns = pid\n[screen last]\ncolumns = pid\n");
    assert_string_equal(screen_fitting(&list, set)->name, "hw");
    set->events[1].state = EVENT_UNSUPPORTED;
    assert_string_equal(screen_fitting(&list, set)->name, "sw");
    screen_list_release(&list);

    screen_list_init(&list);
    load(&list, "[screen a]\ncolumns = pid\nrequires = x\n"
                "[screen b]\ncolumns = pid\nrequires = instructions\n");
    assert_string_equal(screen_fitting(&list, set)->name, "b");
    screen_list_release(&list);
    event_set_drop(set);
}

static void the_events_of_a_screen(void **state)
{
    struct screen_list list;
    screen_list_init(&list);
    load(&list, "[screen a]\ncolumns = pid\n"
                "events = {cycles,instructions}:u,cpu/event=1,umask=2/k,page-faults, r01c2\n");
    const struct screen *screen = &list.screens[0];
    assert_true(screen_counts(screen, "cycles"));
    assert_true(screen_counts(screen, "cpu-cycles"));
    assert_true(screen_counts(screen, "instructions"));
    assert_true(screen_counts(screen, "cpu/event=1,umask=2/k"));
    assert_true(screen_counts(screen, "faults"));
    assert_true(screen_counts(screen, "r01c2"));
    assert_false(screen_counts(screen, "umask=2"));
    assert_false(screen_counts(screen, "cycle"));
    assert_false(screen_counts(screen, "branches"));
    screen_list_release(&list);
}

static void builtin_screens(void **state)
{
    struct screen_list list;
    struct metric_set metric_set = {0};
    struct err err = {""};
    screen_list_init(&list);
    for (const struct embedded_file *file = embedded_files; file->name; file++) {
        if (!strstr(file->name, ".ini"))
            continue;
        load(&list, file->text);
        assert_int_equal(metric_set_load(&metric_set, file->text, file->name, &err), 0);
    }
    for (size_t i = 0; i < list.count; i++) {
        const struct screen *screen = &list.screens[i];
        column_check_screen(screen, &metric_set, &err);
        assert_string_equal(err.text, "");
        assert_string_not_equal(screen->description, "");
        assert_string_equal(screen->columns[screen->column_count - 1], "command");
        for (size_t r = 0; r < screen->require_count; r++)
            assert_true(screen_counts(screen, screen->requires[r]));
        /* Whatever a metric on it needs, it counts. */
        for (size_t c = 0; c < screen->column_count; c++) {
            const struct metric *metric = metric_set_find(&metric_set, screen->columns[c]);
            for (size_t e = 0; metric && e < expr_event_count(metric->expr); e++)
                assert_true(screen_counts(screen, expr_event(metric->expr, e)));
        }
    }
    assert_string_equal(list.screens[0].name, "overview");
    assert_string_equal(screen_find(&list, "overview")->sort, "cpu_pct");
    assert_int_equal(screen_find(&list, "software")->require_count, 0);
    assert_non_null(screen_find(&list, "faults"));

    static const char *const names[] = {"cycles", "instructions"};
    struct event_set *set = handmade_set(2, names);
    assert_string_equal(screen_fitting(&list, set)->name, "overview");
    set->events[0].state = EVENT_UNSUPPORTED;
    assert_string_equal(screen_fitting(&list, set)->name, "software");
    event_set_drop(set);
    metric_set_release(&metric_set);
    screen_list_release(&list);
}
