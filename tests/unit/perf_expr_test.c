#include "base/mem.h"
#include "base/str.h"
#include "metric/eval.h"
#include "metric/perf_expr.h"
#include "unit/test.h"

#include <stdlib.h>
#include <string.h>

/* A machine with two threads a core, where the event `lost` is not known. */
static int find(void *ctx, enum perf_word kind, const char *name, double *number, char **text,
                struct err *err)
{
    (void)ctx;
    bool known = strcmp(name, "lost") != 0;
    switch (kind) {
    case PERF_NAME:
        if (strcmp(name, "duration_time") == 0)
            *text = mem_strdup("interval");
        else if (strcmp(name, "sum") == 0)
            *text = mem_strdup("'a' + 'b'");
        else if (known)
            *text = mem_printf("'%s'", name);
        return known ? 0 : err_set(err, "no event '%s'", name);
    case PERF_HAS_EVENT:
        *number = known;
        return 0;
    case PERF_PROPERTY:
        *number = strcmp(name, "smt_on") == 0 ? 1 : 6;
        return strcmp(name, "nothing") == 0 ? err_set(err, "no #%s", name) : 0;
    case PERF_CPU:
        *number = strcmp(name, "0x410fd0c0") == 0;
        return 0;
    case PERF_SOURCES:
        return err_set(err, "no sources");
    }
    return -1;
}

static const struct perf_words words = {find, NULL};

static void expect(const char *text, const char *translation)
{
    struct err err = {""};
    char *result = perf_expr_translate(text, &words, &err);
    if (!result)
        fail_msg("%s: %s", text, err.text);
    assert_string_equal(result, translation);
    struct expr *expr = expr_parse(result, &err);
    assert_string_equal(err.text, "");
    expr_free(expr);
    free(result);
}

static void expect_error(const char *text, const char *message)
{
    struct err err = {""};
    assert_null(perf_expr_translate(text, &words, &err));
    assert_string_equal(err.text, message);
}

static void names(void **state)
{
    expect("INST_RETIRED.ANY", "'INST_RETIRED.ANY'");
    expect("instructions:u / cycles", "'instructions:u' / 'cycles'");
    expect("topdown\\-retiring", "'topdown-retiring'");
    expect("topdown\\\\-retiring", "'topdown-retiring'");
    expect("cpu@event\\=0x14\\,cmask\\=1@ / 2", "'cpu/event=0x14,cmask=1/' / 2");
    expect("cpu@a,cmask=0x6@k", "'cpu/a,cmask=0x6/k'");
    expect("msr@tsc@*2", "'msr/tsc/' * 2");
    expect("4 * sum / a", "4 * ('a' + 'b') / 'a'");
    expect("x / duration_time", "'x' / interval");
    expect("iffy + elsewhere + minute", "'iffy' + 'elsewhere' + 'minute'");
}

static void order(void **state)
{
    expect("a + b * c", "'a' + 'b' * 'c'");
    expect("(a + b) * c", "('a' + 'b') * 'c'");
    expect("a - (b - c)", "'a' - ('b' - 'c')");
    expect("a / (b * c)", "'a' / ('b' * 'c')");
    expect("-a + -(2)", "0 - 'a' + (-2)");
    expect("a < b | a > c & b < c", "max('a' < 'b', ('a' > 'c') * ('b' < 'c'))");
    expect("min(a, b) + max(1, (c))", "min('a', 'b') + max(1, 'c')");
    expect("d_ratio(a, b + c) * 100", "d_ratio('a', 'b' + 'c') * 100");
    expect("a * 6.25e-2 + .5", "'a' * 0.0625 + 0.5");
    expect("a if b > 1 else c if d < 2 else 3", "if('b' > 1, 'a', if('d' < 2, 'c', 3))");
    expect("2 * (a if b else c)", "2 * if('b', 'a', 'c')");
}

/* What is known now is computed. */
static void constants(void **state)
{
    expect("1 + 2 * 3 - 8 / 4 % 3", "5");
    expect("5 & 4 | 2 ^ 2", "4");
    expect("min(2, 3) + max(2, 3) + d_ratio(1, 0) + d_ratio(6, 2)", "8");
    expect("a / 2 if #smt_on else a", "'a' / 2");
    expect("(a if 1 - #smt_on else b) / #slots", "'b' / 6");
    expect("a if strcmp_cpuid_str(0x410fd0c0) else b", "'a'");
    expect("lost / a if has_event(lost) else a", "'a'");
    expect("a if has_event(a) else lost", "'a'");
}

static void impossible(void **state)
{
    expect_error("lost + 1", "no event 'lost'");
    expect_error("d_ratio(a, 1 - lost)", "no event 'lost'");
    expect_error("a if lost > 1 else b", "no event 'lost'");
    expect_error("a if b > 1 else lost", "no event 'lost'");
    expect_error("a * #nothing", "no #nothing");
    expect_error("a / source_count(a)", "no sources");
    expect_error("a % 2",
                 "it computes |, ^, & or % of counts, for which there is no operator here");
    expect_error("a | (b < c)",
                 "it computes |, ^, & or % of counts, for which there is no operator here");
    expect_error("a * (1 / (2 - 2))", "a number in it is divided by zero");
}

static void wrong(void **state)
{
    expect_error("", "expected a number, an event, a metric or '(' at column 1: ^");
    expect_error("a b", "expected an operator at column 3: a ^b");
    expect_error("(a", "expected an operator or ')' at column 3: (a^");
    expect_error("min(a)", "expected ',' at column 6: min(a^)");
    expect_error("max(a, b, c)", "expected ')' at column 9: max(a, b^, c)");
    expect_error("a if b", "expected 'else' at column 7: a if b^");
    expect_error("1.2.3", "no number at column 1: ^1.2.3");
    char deep[200];
    memset(deep, '(', sizeof(deep) - 1);
    deep[sizeof(deep) - 1] = '\0';
    struct err err = {""};
    assert_null(perf_expr_translate(deep, &words, &err));
    assert_true(str_starts(err.text, "too deeply nested"));
}
