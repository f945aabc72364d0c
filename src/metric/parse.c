#include "base/mem.h"
#include "base/str.h"
#include "metric/alias.h"
#include "metric/eval.h"
#include "metric/expr.h"
#include "sample/load.h"
#include "sample/wait_facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 32 }; /* nested parentheses */

struct dimension {
    int time; /* power of seconds */
    bool any; /* a number, which fits any dimension */
};

struct expr_parser {
    const char *text, *at;
    struct expr *expr;
    size_t stacked;                          /* values on the stack after the ops so far */
    struct dimension dimensions[EXPR_STACK]; /* of these values */
    int depth;
    struct err *err;
};

static int comparison(struct expr_parser *parser);

static int parse_fail(const struct expr_parser *parser, const char *at, const char *what)
{
    return err_point(parser->err, what, parser->text, at);
}

static void parse_skip_space(struct expr_parser *parser)
{
    parser->at += strspn(parser->at, " \t\r\n");
}

static bool accept(struct expr_parser *parser, char c)
{
    parse_skip_space(parser);
    if (*parser->at != c)
        return false;
    parser->at++;
    return true;
}

/* Not isalpha(3) and the like, which depend on the locale. */
static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static void emit(struct expr_parser *parser, struct op op)
{
    struct expr *expr = parser->expr;
    mem_grow(&expr->ops, &expr->room, expr->count + 1, sizeof(*expr->ops));
    expr->ops[expr->count++] = op;
}

static int emit_value(struct expr_parser *parser, const char *at, struct op op, struct dimension of)
{
    if (parser->stacked == EXPR_STACK)
        return parse_fail(parser, at, "too deeply nested");
    parser->dimensions[parser->stacked++] = of;
    emit(parser, op);
    return 0;
}

static int emit_operator(struct expr_parser *parser, const char *at, enum op_kind kind)
{
    size_t operands = kind < OP_ADD ? 1 : kind < OP_IF ? 2 : 3;
    struct dimension *first = &parser->dimensions[parser->stacked - operands];
    struct dimension *second = first + (operands == 3);
    const struct dimension *last = &parser->dimensions[parser->stacked - 1];
    parser->stacked -= operands - 1;
    emit(parser, (struct op){.kind = kind});
    if (kind == OP_MULTIPLY || kind == OP_DIVIDE || kind == OP_D_RATIO) {
        first->time += kind == OP_MULTIPLY ? last->time : -last->time;
        first->any &= last->any;
        return 0;
    }
    if (operands == 1)
        return 0;
    /* Two values are added, compared or chosen from. */
    if (!second->any && !last->any && second->time != last->time) {
        static const char *const names[] = {"a rate per second", "a count or ratio", "seconds"};
        const char *a = abs(second->time) <= 1 ? names[second->time + 1] : "a power of seconds";
        const char *b = abs(last->time) <= 1 ? names[last->time + 1] : "a power of seconds";
        char what[128];
        snprintf(what, sizeof(what), "%s and %s do not go together", a, b);
        return parse_fail(parser, at, what);
    }
    if (second->any)
        *second = *last;
    *first = kind >= OP_LESS && kind <= OP_NOT_EQUAL ? (struct dimension){.any = true} : *second;
    return 0;
}

static struct dimension dimension_of(const char *event)
{
    enum scheduler_event kept = scheduler_find(event);
    return (struct dimension){
        .time = kept && *scheduler_info(kept)->unit, /* nanoseconds */
        .any = alias_same(event, "cpu-clock") || alias_same(event, "task-clock"),
    };
}

static int event(struct expr_parser *parser, const char *at, const char *name, size_t length)
{
    struct expr *expr = parser->expr;
    size_t i = 0;
    while (i < expr->event_count &&
           (strncmp(expr->events[i], name, length) != 0 || expr->events[i][length]))
        i++;
    if (i == EXPR_EVENTS)
        return parse_fail(parser, at, "too many different events");
    if (i == expr->event_count)
        expr->events[expr->event_count++] = mem_strndup(name, length);
    return emit_value(parser, at, (struct op){.kind = OP_EVENT, .event = i},
                      dimension_of(expr->events[i]));
}

/* `wait_p50` and the like: of what the ledger of switches knows, so that an event of the same
 * records says whether it is known. */
static int span(struct expr_parser *parser, const char *start, enum span_kind kind,
                enum span_figure figure)
{
    static const char *const events[SPAN_KINDS] = {
        [SPAN_WAIT] = "wakeup-latency-max",
        [SPAN_WAKEUP] = "wakeup-latency-max",
        [SPAN_SLICE] = "preemptions",
        [SPAN_SLEEP] = "wakeup-latency-max",
    };
    if (event(parser, start, events[kind], strlen(events[kind])) < 0)
        return -1;
    struct op *op = &parser->expr->ops[parser->expr->count - 1];
    op->kind = OP_SPAN;
    op->number = kind * SPAN_FIGURES + figure;
    parser->dimensions[parser->stacked - 1] = (struct dimension){.time = 1};
    return 0;
}

static bool is_text(const char *start, size_t length, const char *text)
{
    return strlen(text) == length && strncmp(start, text, length) == 0;
}

/* Parses a call from the '(' on. */
static int function(struct expr_parser *parser, const char *name, size_t length)
{
    static const struct {
        const char *name;
        size_t least, most; /* arguments */
        enum op_kind kind;  /* OP_NUMBER: none */
        bool pairs;         /* combines two at a time; else all */
    } functions[] = {
        {"abs", 1, 1, OP_ABS, false},         {"d_ratio", 2, 2, OP_D_RATIO, true},
        {"delta", 1, 1, OP_NUMBER, false}, /* tiptop(1)'s; counts here are differences already */
        {"if", 3, 3, OP_IF, false},           {"max", 2, EXPR_STACK, OP_MAX, true},
        {"min", 2, EXPR_STACK, OP_MIN, true},
    };
    size_t f = 0, count = 0;
    while (f < sizeof(functions) / sizeof(*functions) && !is_text(name, length, functions[f].name))
        f++;
    if (f == sizeof(functions) / sizeof(*functions))
        return parse_fail(parser, name,
                          "no such function, expected abs, d_ratio, delta, if, max or min");
    parser->at++;
    if (++parser->depth > DEEPEST)
        return parse_fail(parser, name, "too deeply nested");
    do {
        if (++count > functions[f].most)
            return parse_fail(parser, parser->at, "too many arguments");
        if (comparison(parser) < 0 || (functions[f].pairs && count >= 2 &&
                                       emit_operator(parser, name, functions[f].kind) < 0))
            return -1;
    } while (accept(parser, ','));
    if (count < functions[f].least)
        return parse_fail(parser, parser->at, "expected ',' and another argument");
    parser->depth--;
    if (!accept(parser, ')'))
        return parse_fail(parser, parser->at, "expected an operator, ',' or ')'");
    return functions[f].pairs || functions[f].kind == OP_NUMBER
               ? 0
               : emit_operator(parser, name, functions[f].kind);
}

static int word(struct expr_parser *parser)
{
    static const struct {
        const char *name;
        enum op_kind kind;
        int time;
    } variables[] = {
        {"interval", OP_INTERVAL, 1},
        {"oncpu", OP_ONCPU, 1},
        {"ncpu", OP_NCPU, 0},
        {"ghz_nominal", OP_GHZ_NOMINAL, -1},
        {"slots_per_cycle", OP_SLOTS_PER_CYCLE, 0},
    };
    const char *start = parser->at, *p = start;
    while (is_word(*p) || (*p && strchr("_.:", *p)) ||
           (*p == '-' && p > start && is_word(p[-1]) && is_word(p[1])))
        p++;
    size_t length = (size_t)(p - start);
    parser->at = p;
    parse_skip_space(parser);
    if (*parser->at == '(')
        return function(parser, start, length);
    for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++)
        if (is_text(start, length, variables[i].name))
            return emit_value(parser, start, (struct op){.kind = variables[i].kind},
                              (struct dimension){.time = variables[i].time});
    for (size_t i = 0; i < CPU_TIMES; i++)
        if (is_text(start, length, kernel_times_of_cpu[i].variable))
            return emit_value(parser, start, (struct op){.kind = OP_CPU_KERNEL_TIME, .event = i},
                              (struct dimension){.time = 1});
    for (size_t i = 0; i < CGROUP_TIMES; i++)
        if (is_text(start, length, kernel_times_of_cgroup[i].variable))
            return emit_value(parser, start, (struct op){.kind = OP_CGROUP_KERNEL_TIME, .event = i},
                              (struct dimension){.time = i != CGROUP_THROTTLES});
    for (int kind = 0; kind < SPAN_KINDS; kind++) {
        static const char *const figures[SPAN_FIGURES] = {"p50", "p95", "p99", "max"};
        size_t first = strlen(span_names[kind]);
        if (length <= first || start[first] != '_' || !is_text(start, first, span_names[kind]))
            continue;
        for (int figure = 0; figure < SPAN_FIGURES; figure++)
            if (is_text(start + first + 1, length - first - 1, figures[figure]))
                return span(parser, start, kind, figure);
    }
    return event(parser, start, start, length);
}

static int parse_literal(struct expr_parser *parser)
{
    const char *start = parser->at, *p = start;
    p += strspn(p, "0123456789");
    if (*p == '.')
        p += 1 + strspn(p + 1, "0123456789");
    if (*p == 'e' || *p == 'E') {
        p += p[1] == '+' || p[1] == '-' ? 2 : 1;
        p += strspn(p, "0123456789");
    }
    char digits[64];
    double value;
    size_t length = (size_t)(p - start);
    if (length >= sizeof(digits))
        return parse_fail(parser, start, "the number is too long");
    memcpy(digits, start, length);
    digits[length] = '\0';
    if (!str_to_double(digits, &value))
        return parse_fail(parser, start, "no number");
    parser->at = p;
    return emit_value(parser, start, (struct op){.kind = OP_NUMBER, .number = value},
                      (struct dimension){.any = true});
}

static int parse_primary(struct expr_parser *parser)
{
    parse_skip_space(parser);
    const char *open = parser->at;
    if (*open == '(') {
        parser->at++;
        if (++parser->depth > DEEPEST)
            return parse_fail(parser, open, "too deeply nested");
        if (comparison(parser) < 0)
            return -1;
        parser->depth--;
        return accept(parser, ')') ? 0
                                   : parse_fail(parser, parser->at, "expected an operator or ')'");
    }
    if (*open == '\'') {
        size_t length = strcspn(open + 1, "'");
        parser->at++;
        if (!open[1 + length])
            return parse_fail(parser, open, "no closing quote for the one");
        if (length == 0)
            return parse_fail(parser, open, "no name between the quotes");
        parser->at += length + 1;
        return event(parser, open, open + 1, length);
    }
    if (is_digit(*open) || (*open == '.' && is_digit(open[1])))
        return parse_literal(parser);
    if (is_word(*open) || *open == '_')
        return word(parser);
    return parse_fail(parser, open, "expected a number, an event, a variable or '('");
}

static int factor(struct expr_parser *parser)
{
    /* A loop instead of recursion, for texts with thousands of signs. */
    bool negative = false;
    while (accept(parser, '-'))
        negative = !negative;
    if (parse_primary(parser) < 0)
        return -1;
    return negative ? emit_operator(parser, parser->at, OP_NEGATE) : 0;
}

/* Operands joined by two operators of the same rank, from left to right. */
static int chain(struct expr_parser *parser, const char *signs, const enum op_kind *kinds,
                 int (*operand)(struct expr_parser *parser))
{
    if (operand(parser) < 0)
        return -1;
    for (;;) {
        parse_skip_space(parser);
        const char *at = parser->at;
        if (*at != signs[0] && *at != signs[1])
            return 0;
        parser->at++;
        if (operand(parser) < 0 || emit_operator(parser, at, kinds[*at == signs[1]]) < 0)
            return -1;
    }
}

static int term(struct expr_parser *parser)
{
    return chain(parser, "*/", (const enum op_kind[]){OP_MULTIPLY, OP_DIVIDE}, factor);
}

static int sum(struct expr_parser *parser)
{
    return chain(parser, "+-", (const enum op_kind[]){OP_ADD, OP_SUBTRACT}, term);
}

static int comparison(struct expr_parser *parser)
{
    static const struct {
        const char *sign; /* the longer ones first */
        enum op_kind kind;
    } signs[] = {
        {"<=", OP_LESS_EQUAL}, {">=", OP_GREATER_EQUAL}, {"==", OP_EQUAL},
        {"!=", OP_NOT_EQUAL},  {"<", OP_LESS},           {">", OP_GREATER},
    };
    if (sum(parser) < 0)
        return -1;
    parse_skip_space(parser);
    for (size_t i = 0; i < sizeof(signs) / sizeof(*signs); i++) {
        const char *at = parser->at;
        if (!str_starts(at, signs[i].sign))
            continue;
        parser->at += strlen(signs[i].sign);
        return sum(parser) < 0 ? -1 : emit_operator(parser, at, signs[i].kind);
    }
    return 0;
}

struct expr *expr_parse(const char *text, struct err *err)
{
    struct expr_parser parser = {.text = text, .at = text, .err = err};
    parser.expr = mem_alloc(sizeof(*parser.expr));
    int result = comparison(&parser);
    if (result == 0 && *parser.at)
        result = parse_fail(&parser, parser.at, "expected an operator");
    if (result < 0) {
        expr_free(parser.expr);
        return NULL;
    }
    parser.expr->time = parser.dimensions[0].time;
    parser.expr->any_time = parser.dimensions[0].any;
    parser.expr->own_ops = parser.expr->count;
    parser.expr->own_events = parser.expr->event_count;
    return parser.expr;
}

void expr_free(struct expr *expr)
{
    if (!expr)
        return;
    for (size_t i = 0; i < expr->event_count; i++)
        free(expr->events[i]);
    free(expr->ops);
    free(expr);
}

static void append_op(struct expr *to, struct op op)
{
    mem_grow(&to->ops, &to->room, to->count + 1, sizeof(*to->ops));
    to->ops[to->count++] = op;
}

/* Appends what the other's text says. False: too many events. */
static bool append_own(struct expr *to, const struct expr *from)
{
    for (size_t i = 0; i < from->own_ops; i++) {
        struct op op = from->ops[i];
        size_t e = 0;
        bool has_event = op.kind == OP_EVENT || op.kind == OP_SPAN;
        while (has_event && e < to->event_count &&
               !str_equal(to->events[e], from->events[op.event]))
            e++;
        if (has_event && e == EXPR_EVENTS)
            return false;
        if (has_event && e == to->event_count)
            to->events[to->event_count++] = mem_strdup(from->events[op.event]);
        op.event = has_event ? e : op.event;
        append_op(to, op);
    }
    return true;
}

/* How many values it needs on the stack. */
static size_t deepest(const struct expr *expr)
{
    size_t depth = 0, most = 0;
    for (size_t i = 0; i < expr->count; i++) {
        enum op_kind kind = expr->ops[i].kind;
        depth += kind < OP_NEGATE;
        depth -= kind == OP_IF ? 2 : kind >= OP_ADD;
        most = depth > most ? depth : most;
    }
    return most;
}

void expr_balance(struct expr *expr, struct expr *const *others, size_t count)
{
    bool fits = append_own(expr, expr);
    for (size_t i = 0; i < count && fits; i++) {
        fits = append_own(expr, others[i]);
        append_op(expr, (struct op){.kind = OP_ADD});
    }
    append_op(expr, (struct op){.kind = OP_PART});
    if (fits && deepest(expr) <= EXPR_STACK)
        return;
    expr->count = expr->own_ops;
    while (expr->event_count > expr->own_events)
        free(expr->events[--expr->event_count]);
}

size_t expr_event_count(const struct expr *expr)
{
    return expr->own_events;
}

const char *expr_event(const struct expr *expr, size_t i)
{
    return expr->events[i];
}

bool expr_time(const struct expr *expr, int *time)
{
    *time = expr->time;
    return !expr->any_time;
}

bool expr_per_interval(const struct expr *expr)
{
    bool interval = false;
    for (size_t i = 0; i < expr->count; i++)
        interval |= expr->ops[i].kind == OP_INTERVAL;
    return interval && expr->time == -1 && !expr->any_time;
}

static bool uses(const struct expr *expr, enum op_kind kind)
{
    for (size_t i = 0; i < expr->count; i++)
        if (expr->ops[i].kind == kind)
            return true;
    return false;
}

bool expr_uses_oncpu(const struct expr *expr)
{
    return uses(expr, OP_ONCPU);
}

bool expr_of_cpus(const struct expr *expr)
{
    return uses(expr, OP_CPU_KERNEL_TIME);
}

bool expr_of_cgroups(const struct expr *expr)
{
    return uses(expr, OP_CGROUP_KERNEL_TIME);
}

void expr_set_machine(struct expr *expr, double ghz_nominal, double slots_per_cycle)
{
    expr->ghz_nominal = ghz_nominal;
    expr->slots_per_cycle = slots_per_cycle;
}
