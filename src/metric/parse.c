#include "metric/alias.h"
#include "metric/eval.h"
#include "metric/scan.h"

struct dimension {
    int time; /* power of seconds */
    bool any; /* a number, which fits any dimension */
};

struct expr_parser {
    struct scan scan;
    struct expr *expr;
    size_t stacked;                          /* values on the stack after the ops so far */
    struct dimension dimensions[EXPR_STACK]; /* of these values */
};

/* Operators by how tightly they bind; the longer signs first. */
static const struct operation {
    const char *sign;
    enum op_kind kind;
    enum { RANK_COMPARISON, RANK_SUM, RANK_PRODUCT, RANK_FACTOR } rank;
} operators[] = {
    {"<=", OP_LESS_EQUAL, RANK_COMPARISON},
    {">=", OP_GREATER_EQUAL, RANK_COMPARISON},
    {"==", OP_EQUAL, RANK_COMPARISON},
    {"!=", OP_NOT_EQUAL, RANK_COMPARISON},
    {"<", OP_LESS, RANK_COMPARISON},
    {">", OP_GREATER, RANK_COMPARISON},
    {"+", OP_ADD, RANK_SUM},
    {"-", OP_SUBTRACT, RANK_SUM},
    {"*", OP_MULTIPLY, RANK_PRODUCT},
    {"/", OP_DIVIDE, RANK_PRODUCT},
};

static int operation(struct expr_parser *parser, int rank);

static void emit(struct expr *expr, struct op op)
{
    *MEM_ADD(expr->ops, expr->count, expr->room) = op;
}

static int emit_value(struct expr_parser *parser, const char *at, struct op op, struct dimension of)
{
    if (parser->stacked == EXPR_STACK)
        return scan_fail(&parser->scan, at, "too deeply nested");
    parser->dimensions[parser->stacked++] = of;
    emit(parser->expr, op);
    return 0;
}

static const char *dimension_text(const struct dimension *of)
{
    static const char *const names[] = {"a rate per second", "a count or ratio", "seconds"};
    return abs(of->time) <= 1 ? names[of->time + 1] : "a power of seconds";
}

static int emit_operator(struct expr_parser *parser, const char *at, enum op_kind kind)
{
    size_t operands = kind < OP_ADD ? 1 : kind < OP_IF ? 2 : 3;
    struct dimension *first = &parser->dimensions[parser->stacked - operands];
    struct dimension *second = first + (operands == 3);
    const struct dimension *last = &parser->dimensions[parser->stacked - 1];
    parser->stacked -= operands - 1;
    emit(parser->expr, (struct op){.kind = kind});
    if (kind == OP_MULTIPLY || kind == OP_DIVIDE || kind == OP_D_RATIO) {
        first->time += kind == OP_MULTIPLY ? last->time : -last->time;
        first->any &= last->any;
        return 0;
    }
    if (operands == 1)
        return 0;
    /* Two values are added, compared or chosen from. */
    if (!second->any && !last->any && second->time != last->time)
        return scan_fail(&parser->scan, at, "%s and %s do not go together", dimension_text(second),
                         dimension_text(last));
    if (second->any)
        *second = *last;
    *first = kind >= OP_LESS && kind <= OP_NOT_EQUAL ? (struct dimension){.any = true} : *second;
    return 0;
}

/* The index of an event, which is added if it is new; EXPR_EVENTS: there are too many. */
static size_t event_index(struct expr *expr, const char *name)
{
    size_t i = str_index((const char *const *)expr->events, expr->event_count, name);
    if (i == expr->event_count && i < EXPR_EVENTS)
        expr->events[expr->event_count++] = mem_strdup(name);
    return i;
}

/* kind: OP_EVENT, or OP_SPAN with its number, of what the ledger of switches knows, so that an
 * event of the same records says whether it is known. */
static int event(struct expr_parser *parser, const char *at, const char *name, enum op_kind kind,
                 double number)
{
    enum scheduler_event kept = scheduler_find(name);
    struct dimension of = {.time = kept && *scheduler_info(kept)->unit /* nanoseconds */};
    of.any = alias_same(name, "cpu-clock") || alias_same(name, "task-clock");
    struct op op = {.kind = kind, .number = number, .event = event_index(parser->expr, name)};
    if (op.event == EXPR_EVENTS)
        return scan_fail(&parser->scan, at, "too many different events");
    return emit_value(parser, at, op, kind == OP_SPAN ? (struct dimension){.time = 1} : of);
}

/* Parses a call from the '(' on. */
static int function(struct expr_parser *parser, const char *at, const char *name)
{
    static const struct expr_function {
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
    struct scan *scan = &parser->scan;
    const struct expr_function *found = STR_FIND_IN(functions, name, name);
    size_t count = 0;
    if (!found)
        return scan_fail(scan, at,
                         "no such function, expected abs, d_ratio, delta, if, max or min");
    scan->at++;
    if (scan_open(scan, at) < 0)
        return -1;
    do {
        if (++count > found->most)
            return scan_fail(scan, scan->at, "too many arguments");
        if (operation(parser, RANK_COMPARISON) < 0 ||
            (found->pairs && count >= 2 && emit_operator(parser, at, found->kind) < 0))
            return -1;
    } while (scan_accept(scan, ','));
    if (count < found->least)
        return scan_fail(scan, scan->at, "expected ',' and another argument");
    scan->depth--;
    if (!scan_accept(scan, ')'))
        return scan_fail(scan, scan->at, "expected an operator, ',' or ')'");
    return found->pairs || found->kind == OP_NUMBER ? 0 : emit_operator(parser, at, found->kind);
}

/* Finds a variable by its name: what it is, and its power of seconds. */
static bool find_variable(const char *name, struct op *op, int *time)
{
    static const struct expr_variable {
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
    const struct expr_variable *found = STR_FIND_IN(variables, name, name);
    if (found) {
        *op = (struct op){.kind = found->kind};
        *time = found->time;
        return true;
    }
    *time = 1;
    for (size_t i = 0; i < CPU_TIMES; i++)
        if (str_equal(name, kernel_times_of_cpu[i].variable)) {
            *op = (struct op){.kind = OP_CPU_KERNEL_TIME, .event = i};
            return true;
        }
    for (size_t i = 0; i < CGROUP_TIMES; i++)
        if (str_equal(name, kernel_times_of_cgroup[i].variable)) {
            *op = (struct op){.kind = OP_CGROUP_KERNEL_TIME, .event = i};
            *time = i != CGROUP_THROTTLES;
            return true;
        }
    return false;
}

/* `wait_p50` and the like. */
static bool find_span(const char *name, int *kind, int *figure)
{
    for (*kind = 0; *kind < SPAN_KINDS; ++*kind) {
        size_t length = strlen(span_kinds[*kind].name);
        bool begins = strncmp(name, span_kinds[*kind].name, length) == 0 && name[length] == '_';
        for (*figure = 0; begins && *figure < SPAN_FIGURES; ++*figure)
            if (str_equal(name + length + 1, span_figures[*figure].name))
                return true;
    }
    return false;
}

static int word(struct expr_parser *parser)
{
    struct scan *scan = &parser->scan;
    const char *start = scan->at, *p = start;
    struct op op;
    int time, kind, figure;
    while (scan_is_word(*p) || (*p && strchr("_.:", *p)) ||
           (*p == '-' && p > start && scan_is_word(p[-1]) && scan_is_word(p[1])))
        p++;
    AUTO_FREE char *name = mem_strndup(start, (size_t)(p - start));
    scan->at = p;
    scan_space(scan);
    if (*scan->at == '(')
        return function(parser, start, name);
    if (find_variable(name, &op, &time))
        return emit_value(parser, start, op, (struct dimension){.time = time});
    if (find_span(name, &kind, &figure))
        return event(parser, start, kind == SPAN_SLICE ? "preemptions" : "wakeup-latency-max",
                     OP_SPAN, kind * SPAN_FIGURES + figure);
    return event(parser, start, name, OP_EVENT, 0);
}

static int parse_primary(struct expr_parser *parser)
{
    struct scan *scan = &parser->scan;
    scan_space(scan);
    const char *open = scan->at;
    if (*open == '(') {
        scan->at++;
        if (scan_open(scan, open) < 0 || operation(parser, RANK_COMPARISON) < 0)
            return -1;
        scan->depth--;
        return scan_accept(scan, ')') ? 0
                                      : scan_fail(scan, scan->at, "expected an operator or ')'");
    }
    if (*open == '\'') {
        AUTO_FREE char *name = scan_quoted(scan, "no name between the quotes");
        return name ? event(parser, open, name, OP_EVENT, 0) : -1;
    }
    if (scan_is_digit(*open) || (*open == '.' && scan_is_digit(open[1]))) {
        struct op op = {.kind = OP_NUMBER};
        return scan_number(scan, &op.number) < 0
                   ? -1
                   : emit_value(parser, open, op, (struct dimension){.any = true});
    }
    if (scan_is_word(*open) || *open == '_')
        return word(parser);
    return scan_fail(scan, open, "expected a number, an event, a variable or '('");
}

static int factor(struct expr_parser *parser)
{
    /* A loop instead of recursion, for texts with thousands of signs. */
    bool negative = false;
    while (scan_accept(&parser->scan, '-'))
        negative = !negative;
    if (parse_primary(parser) < 0)
        return -1;
    return negative ? emit_operator(parser, parser->scan.at, OP_NEGATE) : 0;
}

/* The operator that is next, if it is of that rank; it stays. */
static const struct operation *next_operator(struct expr_parser *parser, int rank)
{
    scan_space(&parser->scan);
    for (size_t i = 0; i < sizeof(operators) / sizeof(*operators); i++)
        if (str_starts(parser->scan.at, operators[i].sign))
            return (int)operators[i].rank == rank ? &operators[i] : NULL;
    return NULL;
}

/* Operands joined by operators of a rank, from left to right; of comparisons there is one. */
static int operation(struct expr_parser *parser, int rank)
{
    const struct operation *next;
    if (rank == RANK_FACTOR)
        return factor(parser);
    if (operation(parser, rank + 1) < 0)
        return -1;
    while ((next = next_operator(parser, rank))) {
        const char *at = parser->scan.at;
        parser->scan.at += strlen(next->sign);
        if (operation(parser, rank + 1) < 0 || emit_operator(parser, at, next->kind) < 0)
            return -1;
        if (rank == RANK_COMPARISON)
            break;
    }
    return 0;
}

struct expr *expr_parse(const char *text, struct err *err)
{
    struct expr_parser parser = {.scan = {.text = text, .at = text, .err = err}};
    struct expr *expr = parser.expr = mem_alloc(sizeof(*expr));
    int result = operation(&parser, RANK_COMPARISON);
    scan_space(&parser.scan);
    if (result == 0 && *parser.scan.at)
        result = scan_fail(&parser.scan, parser.scan.at, "expected an operator");
    if (result < 0) {
        expr_free(expr);
        return NULL;
    }
    expr->time = parser.dimensions[0].time;
    expr->any_time = parser.dimensions[0].any;
    expr->own_ops = expr->count;
    expr->own_events = expr->event_count;
    return expr;
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

/* Appends what the other's text says. False: too many events. */
static bool append_own(struct expr *to, const struct expr *from)
{
    for (size_t i = 0; i < from->own_ops; i++) {
        struct op op = from->ops[i];
        if (op.kind == OP_EVENT || op.kind == OP_SPAN) {
            op.event = event_index(to, from->events[op.event]);
            if (op.event == EXPR_EVENTS)
                return false;
        }
        emit(to, op);
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
        emit(expr, (struct op){.kind = OP_ADD});
    }
    emit(expr, (struct op){.kind = OP_PART});
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

bool expr_uses(const struct expr *expr, enum op_kind kind)
{
    for (size_t i = 0; i < expr->count; i++)
        if (expr->ops[i].kind == kind)
            return true;
    return false;
}

bool expr_per_interval(const struct expr *expr)
{
    return expr_uses(expr, OP_INTERVAL) && expr->time == -1 && !expr->any_time;
}
