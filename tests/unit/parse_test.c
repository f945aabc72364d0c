#include "base/str.h"
#include "metric/eval.h"
#include "unit/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The ops as text, in postfix: "cycles 2 *". */
static void expect(const char *text, const char *postfix)
{
    static const char *const names[] = {
        [OP_INTERVAL] = "$interval",
        [OP_ONCPU] = "$oncpu",
        [OP_NCPU] = "$ncpu",
        [OP_NEGATE] = "neg",
        [OP_ADD] = "+",
        [OP_SUBTRACT] = "-",
        [OP_MULTIPLY] = "*",
        [OP_DIVIDE] = "/",
        [OP_D_RATIO] = "d_ratio",
        [OP_GHZ_NOMINAL] = "$ghz",
        [OP_ABS] = "abs",
        [OP_MIN] = "min",
        [OP_MAX] = "max",
        [OP_LESS] = "<",
        [OP_LESS_EQUAL] = "<=",
        [OP_GREATER] = ">",
        [OP_EQUAL] = "==",
        [OP_NOT_EQUAL] = "!=",
        [OP_GREATER_EQUAL] = ">=",
        [OP_IF] = "if",
    };
    struct err err = {""};
    struct expr *expr = expr_parse(text, &err);
    assert_string_equal(err.text, "");
    assert_non_null(expr);
    AUTO_STR struct str seen = str_new();
    for (size_t i = 0; i < expr->count; i++) {
        const struct op *op = &expr->ops[i];
        if (i)
            str_add_char(&seen, ' ');
        if (op->kind == OP_NUMBER)
            str_printf(&seen, "%g", op->number);
        else
            str_add(&seen, op->kind == OP_EVENT ? expr_event(expr, op->event) : names[op->kind]);
    }
    assert_string_equal(seen.text, postfix);
    expr_free(expr);
}

/* The message names a column, to which a caret in the text then points. */
static void expect_error(const char *text, const char *message)
{
    struct err err = {""};
    char totals[512];
    int column = atoi(strstr(message, "at column ") + strlen("at column "));
    assert_null(expr_parse(text, &err));
    if (strlen(text) <= 40) {
        snprintf(totals, sizeof(totals), "%s: %.*s^%s", message, column - 1, text,
                 text + column - 1);
        str_clean(totals, false); /* bytes that are no text are '?' in messages */
        assert_string_equal(err.text, totals);
    } else { /* cut, see only_what_is_around_is_quoted */
        assert_memory_equal(err.text, message, strlen(message));
    }
}

static void only_what_is_around_is_quoted(void **state)
{
    struct err err = {""};
    assert_null(expr_parse("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa + + "
                           "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb",
                           &err));
    assert_non_null(strstr(err.text, " at column 52: ...aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa + ^+ "
                                     "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb..."));
}

static void numbers(void **state)
{
    expect("1", "1");
    expect(" 1.5 ", "1.5");
    expect(".5", "0.5");
    expect("5.", "5");
    expect("1e9", "1e+09");
    expect("1E-3", "0.001");
    expect("2e+2", "200");
}

static void precedence_and_order(void **state)
{
    expect("1 + 2 * 3", "1 2 3 * +");
    expect("(1 + 2) * 3", "1 2 + 3 *");
    expect("1 - 2 - 3", "1 2 - 3 -");
    expect("8 / 4 / 2", "8 4 / 2 /");
    expect("8 / 4 * 2", "8 4 / 2 *");
    expect("1-2", "1 2 -");
    expect("-1 * 2", "1 neg 2 *");
    expect("1 - -2", "1 2 neg -");
    expect("- - 1", "1");
    expect("-(1 + 2)", "1 2 + neg");
}

static void names(void **state)
{
    expect("branch-misses / branches", "branch-misses branches /");
    expect("a - b", "a b -");
    expect("a -b", "a b -");
    expect("a- b", "a b -");
    expect("a-b", "a-b");
    expect("a-1", "a-1");
    expect("cycles:u/x.y_z", "cycles:u x.y_z /");
    expect("sched:sched_switch", "sched:sched_switch");
    expect("'cpu/event=0xc0,umask=1/' / 2", "cpu/event=0xc0,umask=1/ 2 /");
    expect("a*b", "a b *");
}

static void variables(void **state)
{
    expect("oncpu / interval * ncpu", "$oncpu $interval / $ncpu *");
    expect("ghz_nominal", "$ghz");
    expect("'oncpu'", "oncpu");
    expect("intervals", "intervals");
    expect("oncpu:u", "oncpu:u");
}

static void functions(void **state)
{
    expect("min(a, 2)", "a 2 min");
    expect("max(1, 2, 3 + 4)", "1 2 max 3 4 + max");
    expect("abs(-a)", "a neg abs");
    expect("if(a < b, c, 0) * 2", "a b < c 0 if 2 *");
    expect("delta(CYCLE) / delta(INSN)", "CYCLE INSN /");
    expect("min (1,2)", "1 2 min");
    expect("min + max", "min max +"); /* names of events, where no parenthesis follows */
    expect("if((a), min(abs(b), c), (d))", "a b abs c min d if");
}

static void comparisons(void **state)
{
    expect("1 < 2", "1 2 <");
    expect("1<=2", "1 2 <=");
    expect("a + 1 >= b * 2", "a 1 + b 2 * >=");
    expect("a > b", "a b >");
    expect("a == b", "a b ==");
    expect("(a != b) + (c > d)", "a b != c d > +");
}

static void expect_time(const char *text, bool known, int expected)
{
    struct expr *expr = expr_parse(text, NULL);
    assert_non_null(expr);
    assert_int_equal(!expr->any_time, known);
    if (known)
        assert_int_equal(expr->time, expected);
    expr_free(expr);
}

static void time_is_followed(void **state)
{
    expect_time("cycles", true, 0);
    expect_time("cycles / interval", true, -1);
    expect_time("cycles / oncpu / 1e9 / ghz_nominal", true, 0);
    expect_time("oncpu / interval * 100", true, 0);
    expect_time("2 * oncpu", true, 1);
    expect_time("interval + 1", true, 1);
    expect_time("min(1, interval)", true, 1);
    expect_time("if(cycles > 5, oncpu, 0)", true, 1);
    expect_time("if(oncpu > 5, cycles, 0)", true, 0);
    expect_time("interval * interval", true, 2);
    expect_time("1 + 2", false, 0);
    expect_time("task-clock / 2", false, 0);
    expect_time("interval > 1", false, 0);
    expect_error("cycles + interval",
                 "a count or ratio and seconds do not go together at column 8");
    expect_error("cycles / interval > cycles",
                 "a rate per second and a count or ratio do not go together at column 19");
    expect_error("min(oncpu, cycles)",
                 "seconds and a count or ratio do not go together at column 1");
    expect_error("1 + if(1, oncpu, cycles)",
                 "seconds and a count or ratio do not go together at column 5");
    expect_error("interval * interval - 1 - cycles",
                 "a power of seconds and a count or ratio do not go together at column 25");
}

static void events_are_listed_once(void **state)
{
    struct expr *expr = expr_parse("a / b + a * 'b' * (oncpu / interval) + c", NULL);
    assert_non_null(expr);
    assert_int_equal(expr_event_count(expr), 3);
    assert_string_equal(expr_event(expr, 0), "a");
    assert_string_equal(expr_event(expr, 1), "b");
    assert_string_equal(expr_event(expr, 2), "c");
    expr_free(expr);
    expr_free(NULL);
}

static void mistakes_are_pointed_at(void **state)
{
    static const char operand[] = "expected a number, an event, a variable or '('";
    char message[128];
    const struct {
        const char *text;
        int column;
    } cases[] = {{"", 1},  {"  ", 3}, {"1 +", 4}, {"1 + * 2", 5}, {"()", 2},
                 {")", 1}, {"- ", 3}, {"&a", 1},  {".", 1},       {"\xff", 1}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        snprintf(message, sizeof(message), "%s at column %d", operand, cases[i].column);
        expect_error(cases[i].text, message);
    }
    expect_error("1 2", "expected an operator at column 3");
    expect_error("2x", "expected an operator at column 2");
    expect_error("a b", "expected an operator at column 3");
    expect_error("1)", "expected an operator at column 2");
    expect_error("a % b", "expected an operator at column 3");
    expect_error("(1", "expected an operator or ')' at column 3");
    expect_error("(1 2)", "expected an operator or ')' at column 4");
    expect_error("1 + 'abc", "no closing quote for the one at column 5");
    expect_error("''", "no name between the quotes at column 1");
    expect_error("1e", "no number at column 1");
    expect_error("1e999", "no number at column 1");
    expect_error("1 + 1.2.3", "no number at column 5");
    expect_error("1 < 2 < 3", "expected an operator at column 7");
    expect_error("1 = 2", "expected an operator at column 3");
    expect_error("a <", "expected a number, an event, a variable or '(' at column 4");
    expect_error("1 + sqrt(2)",
                 "no such function, expected abs, d_ratio, delta, if, max or min at column 5");
    expect_error("min(1)", "expected ',' and another argument at column 6");
    expect_error("if(1, 2)", "expected ',' and another argument at column 8");
    expect_error("abs(1, 2)", "too many arguments at column 7");
    expect_error("if(1, 2, 3, 4)", "too many arguments at column 12");
    expect_error("max(1, 2", "expected an operator, ',' or ')' at column 9");
    expect_error("min()", "expected a number, an event, a variable or '(' at column 5");
}

static char *repeat(struct str *s, const char *text, int times)
{
    str_clear(s);
    for (int i = 0; i < times; i++)
        str_add(s, text);
    return s->text;
}

static void hostile_texts_are_refused(void **state)
{
    AUTO_STR struct str text = str_new();
    expect_error(repeat(&text, "(", 1000000), "too deeply nested at column 33");
    expect_error(repeat(&text, "1+(", 1000000), "too deeply nested at column 99");
    expect_error(repeat(&text, "abs(", 1000000), "too deeply nested at column 129");
    expect_error(repeat(&text, "if(1,2,", 1000000), "too deeply nested at column 225");

    repeat(&text, "1+", 100000);
    str_add_char(&text, '1');
    struct expr *expr = expr_parse(text.text, NULL);
    assert_non_null(expr);
    assert_int_equal(expr->count, 200001);
    expr_free(expr);

    repeat(&text, "-", 1000001);
    str_add_char(&text, '1');
    expr = expr_parse(text.text, NULL);
    assert_non_null(expr);
    assert_int_equal(expr->count, 2);
    expr_free(expr);

    /* Each parenthesis here leaves two values waiting: the stack is full before the nesting is. */
    expect_error(repeat(&text, "1+1*(", 32), "expected a number, an event, a variable or '(' "
                                             "at column 161");
    repeat(&text, "1+1*(", 31);
    str_add(&text, "1+1*(1");
    expect_error(text.text, "too deeply nested at column 161");

    repeat(&text, "1", 64);
    expect_error(text.text, "the number is too long at column 1");

    str_clear(&text);
    for (int i = 0; i < 33; i++)
        str_printf(&text, "%se%d", i ? "+" : "", i);
    struct err err;
    assert_null(expr_parse(text.text, &err));
    assert_true(str_starts(err.text, "too many different events"));
}
