#include "metric/parse.h"
#include "base/mem.h"
#include "base/str.h"
#include "metric/expr.h"

#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 32 }; /* parentheses within parentheses */

struct parser {
    const char *text, *at;
    struct expr *expr;
    size_t stacked; /* values on the stack after the ops so far */
    int depth;
    struct err *err;
};

static int sum(struct parser *parser);

static int fail(const struct parser *parser, const char *at, const char *what)
{
    return err_set(parser->err, "%s at column %zu", what, (size_t)(at - parser->text) + 1);
}

static void skip_space(struct parser *parser)
{
    parser->at += strspn(parser->at, " \t\r\n");
}

static bool accept(struct parser *parser, char c)
{
    skip_space(parser);
    if (*parser->at != c)
        return false;
    parser->at++;
    return true;
}

/* Not isalpha() and its kin: an expression means the same in every locale. */
static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static void emit(struct parser *parser, struct op op)
{
    struct expr *expr = parser->expr;
    mem_grow(&expr->ops, &expr->room, expr->count + 1, sizeof(*expr->ops));
    expr->ops[expr->count++] = op;
}

static int emit_value(struct parser *parser, const char *at, struct op op)
{
    if (parser->stacked == EXPR_STACK)
        return fail(parser, at, "too deeply nested");
    parser->stacked++;
    emit(parser, op);
    return 0;
}

static void emit_operator(struct parser *parser, enum op_kind kind)
{
    parser->stacked--;
    emit(parser, (struct op){.kind = kind});
}

static int event(struct parser *parser, const char *at, const char *name, size_t length)
{
    struct expr *expr = parser->expr;
    size_t i = 0;
    while (i < expr->event_count &&
           (strncmp(expr->events[i], name, length) != 0 || expr->events[i][length]))
        i++;
    if (i == EXPR_EVENTS)
        return fail(parser, at, "too many different events");
    if (i == expr->event_count)
        expr->events[expr->event_count++] = mem_strndup(name, length);
    return emit_value(parser, at, (struct op){.kind = OP_EVENT, .event = i});
}

static int quoted(struct parser *parser)
{
    const char *open = parser->at++, *name = parser->at;
    size_t length = strcspn(name, "'");
    if (!name[length])
        return fail(parser, open, "no closing quote for the one");
    if (length == 0)
        return fail(parser, open, "no name between the quotes");
    parser->at = name + length + 1;
    return event(parser, open, name, length);
}

static int word(struct parser *parser)
{
    static const struct {
        const char *name;
        enum op_kind kind;
    } variables[] = {{"interval", OP_INTERVAL}, {"oncpu", OP_ONCPU}, {"ncpu", OP_NCPU}};
    const char *start = parser->at, *p = start;
    while (is_word(*p) || (*p && strchr("_.:", *p)) ||
           (*p == '-' && p > start && is_word(p[-1]) && is_word(p[1])))
        p++;
    size_t length = (size_t)(p - start);
    parser->at = p;
    for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++)
        if (strlen(variables[i].name) == length && strncmp(variables[i].name, start, length) == 0)
            return emit_value(parser, start, (struct op){.kind = variables[i].kind});
    return event(parser, start, start, length);
}

static int number(struct parser *parser)
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
        return fail(parser, start, "the number is too long");
    memcpy(digits, start, length);
    digits[length] = '\0';
    if (!str_to_double(digits, &value))
        return fail(parser, start, "no number");
    parser->at = p;
    return emit_value(parser, start, (struct op){.kind = OP_NUMBER, .number = value});
}

static int parenthesis(struct parser *parser)
{
    const char *open = parser->at++;
    if (++parser->depth > DEEPEST)
        return fail(parser, open, "too deeply nested");
    if (sum(parser) < 0)
        return -1;
    parser->depth--;
    return accept(parser, ')') ? 0 : fail(parser, parser->at, "expected an operator or ')'");
}

static int primary(struct parser *parser)
{
    skip_space(parser);
    char c = *parser->at;
    if (c == '(')
        return parenthesis(parser);
    if (c == '\'')
        return quoted(parser);
    if (is_digit(c) || (c == '.' && is_digit(parser->at[1])))
        return number(parser);
    if (is_word(c) || c == '_')
        return word(parser);
    return fail(parser, parser->at, "expected a number, an event, a variable or '('");
}

static int factor(struct parser *parser)
{
    /* A loop, not recursion: a thousand signs are as harmless as one. */
    bool negative = false;
    while (accept(parser, '-'))
        negative = !negative;
    if (primary(parser) < 0)
        return -1;
    if (negative)
        emit(parser, (struct op){.kind = OP_NEGATE});
    return 0;
}

static int term(struct parser *parser)
{
    if (factor(parser) < 0)
        return -1;
    for (;;) {
        enum op_kind kind;
        if (accept(parser, '*'))
            kind = OP_MULTIPLY;
        else if (accept(parser, '/'))
            kind = OP_DIVIDE;
        else
            return 0;
        if (factor(parser) < 0)
            return -1;
        emit_operator(parser, kind);
    }
}

static int sum(struct parser *parser)
{
    if (term(parser) < 0)
        return -1;
    for (;;) {
        enum op_kind kind;
        if (accept(parser, '+'))
            kind = OP_ADD;
        else if (accept(parser, '-'))
            kind = OP_SUBTRACT;
        else
            return 0;
        if (term(parser) < 0)
            return -1;
        emit_operator(parser, kind);
    }
}

struct expr *expr_parse(const char *text, struct err *err)
{
    struct parser parser = {.text = text, .at = text, .err = err};
    parser.expr = mem_alloc(sizeof(*parser.expr));
    int result = sum(&parser);
    if (result == 0 && *parser.at)
        result = fail(&parser, parser.at, "expected an operator");
    if (result < 0) {
        expr_free(parser.expr);
        return NULL;
    }
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

size_t expr_event_count(const struct expr *expr)
{
    return expr->event_count;
}

const char *expr_event(const struct expr *expr, size_t i)
{
    return expr->events[i];
}
