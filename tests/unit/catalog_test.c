#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/embed.h"
#include "metric/catalog.h"

#include "handmade.h"

static void expect_error(const char *text, const char *message)
{
    struct catalog catalog;
    struct err err = {""};
    catalog_init(&catalog);
    assert_int_equal(catalog_load(&catalog, text, "m.ini", &err), -1);
    assert_string_equal(err.text, message);
    assert_int_equal(catalog.count, 0);
    catalog_release(&catalog);
}

static void load(struct catalog *catalog, const char *text)
{
    struct err err = {""};
    int result = catalog_load(catalog, text, "m.ini", &err);
    assert_string_equal(err.text, "");
    assert_int_equal(result, 0);
}

static void all_keys(void **state)
{
    (void)state;
    struct catalog catalog;
    catalog_init(&catalog);
    load(&catalog, "[metric ipc]\nexpr = instructions / cycles\ntitle = IPC\nunit = x\n"
                   "help = per cycle\nwidth = 7\ndecimals = 3\ngood = 1.5\nbad = 0.5\n");
    assert_int_equal(catalog.count, 1);
    const struct metric *metric = catalog_find(&catalog, "ipc");
    assert_non_null(metric);
    assert_string_equal(metric->name, "ipc");
    assert_string_equal(metric->title, "IPC");
    assert_string_equal(metric->text, "instructions / cycles");
    assert_string_equal(metric->unit, "x");
    assert_string_equal(metric->help, "per cycle");
    assert_int_equal(metric->width, 7);
    assert_int_equal(metric->decimals, 3);
    assert_true(metric->has_good && metric->good == 1.5);
    assert_true(metric->has_bad && metric->bad == 0.5);
    assert_int_equal(expr_event_count(metric->expr), 2);
    assert_null(catalog_find(&catalog, "IPC"));
    catalog_release(&catalog);
}

static void what_is_left_out(void **state)
{
    (void)state;
    struct catalog catalog;
    catalog_init(&catalog);
    load(&catalog, "[metric x]\nexpr = 1\n[metric a_long_name]\nexpr = 2\n");
    const struct metric *metric = catalog_find(&catalog, "x");
    assert_string_equal(metric->title, "x");
    assert_string_equal(metric->unit, "");
    assert_string_equal(metric->help, "");
    assert_int_equal(metric->width, 6);
    assert_int_equal(metric->decimals, METRIC_SI);
    assert_false(metric->has_good || metric->has_bad);
    assert_int_equal(metric_judge(metric, 1), 0);
    assert_int_equal(catalog_find(&catalog, "a_long_name")->width, 11);
    catalog_release(&catalog);
}

static void a_name_given_again_replaces(void **state)
{
    (void)state;
    struct catalog catalog;
    catalog_init(&catalog);
    load(&catalog, "[metric a]\nexpr = 1\ntitle = one\n[metric b]\nexpr = 2\n");
    load(&catalog, "[metric c]\nexpr = 4\n[metric a]\nexpr = 3\n");
    assert_int_equal(catalog.count, 3);
    assert_string_equal(catalog.metrics[0].name, "a");
    assert_string_equal(catalog.metrics[0].text, "3");
    assert_string_equal(catalog.metrics[0].title, "a");
    assert_string_equal(catalog.metrics[1].name, "b");
    assert_string_equal(catalog.metrics[2].name, "c");

    struct err err;
    assert_int_equal(catalog_load(&catalog, "[metric a]\nexpr = 9\n[metric z]\nexpr = (\n", "m.ini",
                                  &err),
                     -1);
    assert_int_equal(catalog.count, 3);
    assert_string_equal(catalog.metrics[0].text, "3");
    catalog_release(&catalog);
}

static void other_sections_are_left_to_others(void **state)
{
    (void)state;
    struct catalog catalog;
    catalog_init(&catalog);
    load(&catalog, "x = 1\n[screen s]\ncolumns = a\n[metric a]\nexpr = 1\n[keys]\nq = quit\n");
    assert_int_equal(catalog.count, 1);
    catalog_release(&catalog);
}

static void mistakes_name_their_line(void **state)
{
    (void)state;
    expect_error("[metric a]\nexpr = 1 +\n",
                 "m.ini:2: expr of metric 'a': expected a number, an event, a variable or '(' "
                 "at column 4");
    expect_error("[metric a]\nexpr = 1\n[metric b]\ntitle = x\n",
                 "m.ini:4: metric 'b' has no expr");
    expect_error("[metric a]\nexpr = 1\nwidht = 3\n",
                 "m.ini:3: a metric has no key 'widht': did you mean 'width'?");
    expect_error("[metric a]\nwidth = 3\n",
                 "m.ini:2: width is '3': expected a number from 4 to 40");
    expect_error("[metric a]\ndecimals = 7\n",
                 "m.ini:2: decimals is '7': expected a number from 0 to 6");
    expect_error("[metric a]\ndecimals = -1\n",
                 "m.ini:2: decimals is '-1': expected a number from 0 to 6");
    expect_error("[metric a]\ngood = much\n", "m.ini:2: good is 'much': expected a number");
    expect_error("[metric a]\nexpr = 1\ngood = 1\n",
                 "m.ini:2: metric 'a' needs both limits, good and bad, and not the same");
    expect_error("[metric a]\nexpr = 1\ngood = 1\nbad = 1\n",
                 "m.ini:2: metric 'a' needs both limits, good and bad, and not the same");
    expect_error("[metric -a]\nexpr = 1\n", "m.ini:2: no name for a metric '-a': expected letters, "
                                            "digits, '_', '-' and '.'");
    expect_error("[metric a b]\nexpr = 1\n", "m.ini:2: no name for a metric 'a b': expected "
                                             "letters, digits, '_', '-' and '.'");
}

static void limits_judge_by_their_order(void **state)
{
    (void)state;
    struct catalog catalog;
    catalog_init(&catalog);
    load(&catalog, "[metric more]\nexpr = 1\ngood = 2\nbad = 1\n"
                   "[metric less]\nexpr = 1\ngood = 5\nbad = 30\n");
    const struct metric *more = catalog_find(&catalog, "more");
    assert_int_equal(metric_judge(more, 2), 1);
    assert_int_equal(metric_judge(more, 1.5), 0);
    assert_int_equal(metric_judge(more, 1), -1);
    assert_int_equal(metric_judge(more, -1), -1);
    const struct metric *less = catalog_find(&catalog, "less");
    assert_int_equal(metric_judge(less, 0), 1);
    assert_int_equal(metric_judge(less, 5), 1);
    assert_int_equal(metric_judge(less, 6), 0);
    assert_int_equal(metric_judge(less, 30), -1);
    assert_int_equal(metric_judge(less, 99), -1);
    catalog_release(&catalog);
}

static void metrics_apply_to_sets_with_their_events(void **state)
{
    (void)state;
    static const char *const names[] = {"cpu-cycles", "instructions", "page-faults"};
    struct event_set *set = handmade_set(3, names);
    struct catalog catalog;
    catalog_init(&catalog);
    load(&catalog, "[metric ipc]\nexpr = instructions / cycles\n[metric cpu]\nexpr = oncpu\n"
                   "[metric miss]\nexpr = cache-misses / instructions\n");
    assert_true(metric_applies(catalog_find(&catalog, "ipc"), set));
    assert_true(metric_applies(catalog_find(&catalog, "cpu"), set));
    assert_false(metric_applies(catalog_find(&catalog, "miss"), set));
    set->events[0].state = EVENT_UNSUPPORTED;
    assert_true(metric_applies(catalog_find(&catalog, "ipc"), set));
    catalog_release(&catalog);
    event_set_drop(set);
}

/* Loads what is compiled into the binary. */
static void load_builtin(struct catalog *catalog)
{
    catalog_init(catalog);
    for (const struct embedded_file *file = embedded_files; file->name; file++)
        if (strstr(file->name, ".ini"))
            load(catalog, file->text);
}

static void builtin_metrics_with_fixed_names(void **state)
{
    (void)state;
    static const char *const fixed[] = {
        "cpu_pct",     "ipc",         "ghz",              "branch_miss_pct", "cache_miss_pct",
        "branch_mpki", "cache_mpki",  "ctxsw_per_s",      "migrations_per_s", "faults_per_s",
        "mcycles",     "minstr"};
    struct catalog catalog;
    load_builtin(&catalog);
    for (size_t i = 0; i < sizeof(fixed) / sizeof(*fixed); i++)
        assert_non_null(catalog_find(&catalog, fixed[i]));
    for (size_t i = 0; i < catalog.count; i++) {
        assert_string_not_equal(catalog.metrics[i].help, "");
        assert_true((size_t)catalog.metrics[i].width >= strlen(catalog.metrics[i].title));
    }
    catalog_release(&catalog);
}

/* The formulas of the design, on round numbers: half a second on a CPU in an interval of two. */
static void builtin_formulas(void **state)
{
    (void)state;
    static const char *const names[] = {
        "cycles",           "instructions", "branches",       "branch-misses", "cache-references",
        "cache-misses",     "page-faults",  "cpu-migrations", "minor-faults",  "major-faults",
        "context-switches", "stalled-cycles-frontend",        "stalled-cycles-backend"};
    static const uint64_t counts[] = {1000000000, 2000000000, 400000000, 4000000, 10000000,
                                      2000000,    600,        8,         500,     100,
                                      50,         250000000,  100000000};
    static const struct {
        const char *name;
        double number;
    } expected[] = {
        {"cpu_pct", 25},           {"mcycles", 500},          {"minstr", 1000},
        {"ipc", 2},                {"ghz", 2},                {"branch_miss_pct", 1},
        {"branch_mpki", 2},        {"cache_miss_pct", 20},    {"cache_mpki", 1},
        {"cache_refs_per_s", 5e6}, {"branches_per_s", 2e8},   {"frontend_stall_pct", 25},
        {"backend_stall_pct", 10}, {"ctxsw_per_s", 25},       {"migrations_per_s", 4},
        {"faults_per_s", 300},     {"minor_faults_per_s", 250}, {"major_faults_per_s", 50},
        {"us_per_switch", 10000},
    };
    struct frame *frame = handmade_frame(handmade_set(13, names));
    frame->interval = 2;
    struct row *row = handmade_process(frame, 1, "one", 0.5, counts);
    struct catalog catalog;
    load_builtin(&catalog);
    assert_int_equal(catalog.count, sizeof(expected) / sizeof(*expected));
    for (size_t i = 0; i < catalog.count; i++) {
        const struct metric *metric = catalog_find(&catalog, expected[i].name);
        assert_non_null(metric);
        struct value value = eval_row(metric->expr, frame, row);
        assert_int_equal(value.state, VALUE_COUNTED);
        assert_float_equal(value.number, expected[i].number, 1e-9 * expected[i].number);
    }
    catalog_release(&catalog);
    frame_free(frame);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_keys),
        cmocka_unit_test(what_is_left_out),
        cmocka_unit_test(a_name_given_again_replaces),
        cmocka_unit_test(other_sections_are_left_to_others),
        cmocka_unit_test(mistakes_name_their_line),
        cmocka_unit_test(limits_judge_by_their_order),
        cmocka_unit_test(metrics_apply_to_sets_with_their_events),
        cmocka_unit_test(builtin_metrics_with_fixed_names),
        cmocka_unit_test(builtin_formulas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
