#include "metric/perf_expr.h"
#include "base/mem.h"
#include "base/str.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* How tightly an expression of metric/eval.h binds. */
enum rank { RANK_COMPARISON, RANK_SUM, RANK_PRODUCT, RANK_PRIMARY };

/* A part of the expression: a constant, or a translation, or the reason why it has none. */
struct part {
    char *text; /* NULL: constant, or broken */
    enum rank rank;
    double number;
    bool truth;   /* is 0 or 1 */
    char *reason; /* broken */
};

enum { NESTED_MAX = 32, TEXT_MAX = 16384 };

struct translation {
    const char *text, *at;
    const struct perf_words *words;
    int depth;
    struct err *err;
};

static int choice(struct translation *t, struct part *part);

static void part_release(struct part *part)
{
    free(part->text);
    free(part->reason);
    *part = (struct part){0};
}

static struct part part_constant(double number)
{
    return (struct part){
        .number = number, .rank = RANK_PRIMARY, .truth = number == 0 || number == 1};
}

static struct part part_broken(const char *reason)
{
    return (struct part){.reason = mem_strdup(reason)};
}

static bool is_constant(const struct part *part)
{
    return !part->text && !part->reason;
}

static int perf_fail(const struct translation *t, const char *what)
{
    return err_point(t->err, what, t->text, t->at);
}

/* Appends the part, in parentheses where it binds less than needed. */
static void add_part(struct str *out, const struct part *part, enum rank needed)
{
    bool inner = part->text && part->rank < needed;
    if (part->text)
        str_printf(out, "%s%s%s", inner ? "(" : "", part->text, inner ? ")" : "");
    else
        str_printf(out, part->number < 0 ? "(%.15g)" : "%.15g", part->number);
}

/* Makes *a "BEFORE a BETWEEN b AFTER", and releases b. */
static void part_join(struct part *a, struct part *b, const char *before, const char *between,
                      const char *after, enum rank left, enum rank right, enum rank rank)
{
    struct str out = str_new();
    str_add(&out, before);
    add_part(&out, a, left);
    str_add(&out, between);
    add_part(&out, b, right);
    str_add(&out, after);
    part_release(a);
    part_release(b);
    *a = (struct part){.text = str_detach(&out), .rank = rank};
    if (strlen(a->text) > TEXT_MAX) {
        part_release(a);
        *a = part_broken("it is too long");
    }
}

/* ---- operators ---- */

static double bits(char sign, double a, double b)
{
    long x = (long)a, y = (long)b;
    return (double)(sign == '|' ? x | y : sign == '^' ? x ^ y : x & y);
}

static bool fits_long(double number)
{
    return fabs(number) < 9e15;
}

static struct part compute(char sign, double a, double b)
{
    switch (sign) {
    case '|':
    case '^':
    case '&':
        return fits_long(a) && fits_long(b) ? part_constant(bits(sign, a, b))
                                            : part_broken("a number in it is too large");
    case '<':
        return part_constant(a < b);
    case '>':
        return part_constant(a > b);
    case '+':
        return part_constant(a + b);
    case '-':
        return part_constant(a - b);
    case '*':
        return part_constant(a * b);
    case '%':
        return fits_long(a) && fits_long(b) && (long)b != 0
                   ? part_constant((double)((long)a % (long)b))
                   : part_broken("a number in it is divided by zero");
    default:
        return b != 0 ? part_constant(a / b) : part_broken("a number in it is divided by zero");
    }
}

/* Puts the result into a; releases b. */
static void operate(char sign, struct part *a, struct part *b)
{
    if (a->reason || b->reason) {
        struct part broken = part_broken(a->reason ? a->reason : b->reason);
        part_release(a);
        part_release(b);
        *a = broken;
        return;
    }
    if (is_constant(a) && is_constant(b)) {
        *a = compute(sign, a->number, b->number);
        if (!a->reason && !isfinite(a->number))
            *a = part_broken("a number in it is too large");
        return;
    }
    bool truths = a->truth && b->truth;
    char between[] = {' ', sign, ' ', '\0'};
    switch (sign) {
    case '|':
    case '&':
        if (truths && sign == '|')
            part_join(a, b, "max(", ", ", ")", RANK_COMPARISON, RANK_COMPARISON, RANK_PRIMARY);
        else if (truths)
            part_join(a, b, "", " * ", "", RANK_PRODUCT, RANK_PRIMARY, RANK_PRODUCT);
        a->truth = truths;
        if (truths)
            return;
        /* fall through */
    case '^':
    case '%':
        part_release(a);
        part_release(b);
        *a = part_broken("it computes |, ^, & or % of counts, for which there is no operator here");
        return;
    case '<':
    case '>':
        part_join(a, b, "", between, "", RANK_SUM, RANK_SUM, RANK_COMPARISON);
        a->truth = !a->reason;
        return;
    case '+':
    case '-':
        part_join(a, b, "", between, "", RANK_SUM, RANK_PRODUCT, RANK_SUM);
        return;
    default:
        part_join(a, b, "", between, "", RANK_PRODUCT, RANK_PRIMARY, RANK_PRODUCT);
    }
}

/* ---- words ---- */

static void perf_skip_space(struct translation *t)
{
    t->at += strspn(t->at, " \t\r\n");
}

static bool perf_accept(struct translation *t, char c)
{
    perf_skip_space(t);
    if (*t->at != c)
        return false;
    t->at++;
    return true;
}

static bool is_symbol(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c && strchr("_.:@?", c));
}

/* Reads a name; '@' is '/', and between two of them everything belongs to it. The caller frees it.
 */
static char *read_name(struct translation *t)
{
    struct str name = str_new();
    bool inside = false;
    for (; *t->at && (is_symbol(*t->at) || *t->at == '\\' || inside); t->at++) {
        if (*t->at == '\\' && !t->at[1])
            break;
        t->at += *t->at == '\\';
        if (*t->at == '\\') /* some files escape twice */
            t->at += t->at[1] != '\0';
        else if (*t->at == '@')
            inside = !inside;
        str_add_char(&name, *t->at == '@' ? '/' : *t->at);
    }
    return str_detach(&name);
}

/* Whether text is a name in quotes, or a variable. */
static bool is_one_name(const char *text)
{
    const char *end = *text == '\'' ? strchr(text + 1, '\'') : NULL;
    return end ? !end[1] : !text[strspn(text, "abcdefghijklmnopqrstuvwxyz_")];
}

static void find_word(struct translation *t, enum perf_word kind, const char *name,
                      struct part *part)
{
    struct err why;
    double number = 0;
    char *text = NULL;
    *part = part_constant(0);
    if (t->words->find(t->words->ctx, kind, name, &number, &text, &why) < 0)
        *part = part_broken(why.text);
    else if (text)
        *part =
            (struct part){.text = text, .rank = is_one_name(text) ? RANK_PRIMARY : RANK_COMPARISON};
    else
        *part = part_constant(number);
}

/* min(a, b), max(a, b), d_ratio(a, b), from the '(' on. */
static int call_two(struct translation *t, const char *name, struct part *part)
{
    struct part second = {0};
    if (!perf_accept(t, '('))
        return perf_fail(t, "expected '('");
    if (choice(t, part) < 0)
        return -1;
    if (!perf_accept(t, ','))
        return perf_fail(t, "expected ','");
    int result = choice(t, &second);
    if (result == 0 && !perf_accept(t, ')'))
        result = perf_fail(t, "expected ')'");
    if (result < 0) {
        part_release(&second);
        return -1;
    }
    double a = part->number, b = second.number;
    if (part->reason || second.reason) {
        operate('+', part, &second);
    } else if (is_constant(part) && is_constant(&second)) {
        *part = part_constant(str_equal(name, "min")   ? fmin(a, b)
                              : str_equal(name, "max") ? fmax(a, b)
                              : b == 0                 ? 0
                                                       : a / b);
    } else {
        char *before = mem_printf("%s(", name);
        part_join(part, &second, before, ", ", ")", RANK_COMPARISON, RANK_COMPARISON, RANK_PRIMARY);
        free(before);
    }
    return 0;
}

/* has_event(NAME) and the like, from the '(' on. */
static int call_name(struct translation *t, enum perf_word kind, struct part *part)
{
    if (!perf_accept(t, '('))
        return perf_fail(t, "expected '('");
    perf_skip_space(t);
    char *name = read_name(t);
    int result = *name ? 0 : perf_fail(t, "expected a name");
    if (result == 0)
        find_word(t, kind, name, part);
    free(name);
    return result < 0 || perf_accept(t, ')') ? result : perf_fail(t, "expected ')'");
}

static int perf_word(struct translation *t, struct part *part)
{
    static const struct {
        const char *name;
        enum perf_word kind; /* PERF_NAME: of two values */
    } functions[] = {
        {"min", PERF_NAME},
        {"max", PERF_NAME},
        {"d_ratio", PERF_NAME},
        {"has_event", PERF_HAS_EVENT},
        {"source_count", PERF_SOURCES},
        {"strcmp_cpuid_str", PERF_CPU},
    };
    int result = 0;
    size_t f = 0, most = sizeof(functions) / sizeof(*functions);
    char *name = read_name(t);
    while (f < most && strcmp(name, functions[f].name) != 0)
        f++;
    if (!*name || strcmp(name, "if") == 0 || strcmp(name, "else") == 0)
        result = perf_fail(t, "expected a number, an event, a metric or '('");
    else if (f == most)
        find_word(t, PERF_NAME, name, part);
    else if (functions[f].kind == PERF_NAME)
        result = call_two(t, functions[f].name, part);
    else
        result = call_name(t, functions[f].kind, part);
    free(name);
    return result;
}

static int perf_literal(struct translation *t, struct part *part)
{
    char digits[64];
    double number;
    size_t length = strspn(t->at, "0123456789.");
    if ((t->at[length] == 'e' || t->at[length] == 'E') &&
        strspn(t->at + length + 1, "+-0123456789")) {
        length++;
        length += t->at[length] == '-' || t->at[length] == '+';
        length += strspn(t->at + length, "0123456789");
    }
    if (length >= sizeof(digits))
        return perf_fail(t, "the number is too long");
    memcpy(digits, t->at, length);
    digits[length] = '\0';
    if (!str_to_double(digits, &number))
        return perf_fail(t, "no number");
    t->at += length;
    *part = part_constant(number);
    return 0;
}

static int perf_primary(struct translation *t, struct part *part)
{
    perf_skip_space(t);
    if (*t->at == '#') {
        t->at++;
        char *name = read_name(t);
        find_word(t, PERF_PROPERTY, name, part);
        free(name);
        return 0;
    }
    if (*t->at == '.' || (*t->at >= '0' && *t->at <= '9'))
        return perf_literal(t, part);
    if (*t->at != '(')
        return perf_word(t, part);
    t->at++;
    if (choice(t, part) < 0)
        return -1;
    return perf_accept(t, ')') ? 0 : perf_fail(t, "expected an operator or ')'");
}

static int perf_factor(struct translation *t, struct part *part)
{
    bool negative = false;
    while (perf_accept(t, '-'))
        negative = !negative;
    if (perf_primary(t, part) < 0)
        return -1;
    if (negative) {
        struct part zero = part_constant(0), positive = *part;
        *part = zero;
        operate('-', part, &positive);
    }
    return 0;
}

/* Operators from those that bind least; those of one level from left to right. */
static int perf_operators(struct translation *t, size_t level, struct part *part)
{
    static const char *const levels[] = {"|", "^", "&", "<>", "+-", "*/%"};
    if (level == sizeof(levels) / sizeof(*levels))
        return perf_factor(t, part);
    if (perf_operators(t, level + 1, part) < 0)
        return -1;
    for (;;) {
        struct part right = {0};
        perf_skip_space(t);
        char sign = *t->at;
        if (!sign || !strchr(levels[level], sign))
            return 0;
        t->at++;
        if (perf_operators(t, level + 1, &right) < 0) {
            part_release(&right);
            return -1;
        }
        operate(sign, part, &right);
    }
}

static bool accept_word(struct translation *t, const char *word)
{
    size_t length = strlen(word);
    perf_skip_space(t);
    if (strncmp(t->at, word, length) != 0 || is_symbol(t->at[length]) || t->at[length] == '\\')
        return false;
    t->at += length;
    return true;
}

/* `x if condition else y`, or x. */
static int choose(struct translation *t, struct part *part)
{
    struct part condition = {0}, otherwise = {0};
    if (!accept_word(t, "if"))
        return 0;
    int result = perf_operators(t, 0, &condition);
    if (result == 0 && !accept_word(t, "else"))
        result = perf_fail(t, "expected 'else'");
    if (result == 0)
        result = choice(t, &otherwise);
    if (result == 0 && (condition.reason || is_constant(&condition))) {
        bool first = condition.number != 0;
        struct part chosen = condition.reason ? condition : first ? *part : otherwise;
        *(condition.reason ? &condition : first ? part : &otherwise) = (struct part){0};
        part_release(part);
        *part = chosen;
    } else if (result == 0 && (part->reason || otherwise.reason)) {
        operate('+', part, &otherwise);
    } else if (result == 0) {
        part_join(&condition, part, "if(", ", ", "", RANK_COMPARISON, RANK_COMPARISON,
                  RANK_COMPARISON);
        part_join(&condition, &otherwise, "", ", ", ")", RANK_COMPARISON, RANK_COMPARISON,
                  RANK_PRIMARY);
        *part = condition;
        return 0;
    }
    part_release(&condition);
    part_release(&otherwise);
    return result;
}

static int choice(struct translation *t, struct part *part)
{
    if (++t->depth > NESTED_MAX)
        return perf_fail(t, "too deeply nested");
    int result = perf_operators(t, 0, part);
    if (result == 0)
        result = choose(t, part);
    t->depth--;
    return result;
}

char *perf_expr_translate(const char *text, const struct perf_words *words, struct err *err)
{
    struct translation t = {.text = text, .at = text, .words = words, .err = err};
    struct part part = {0};
    char *result = NULL;
    if (choice(&t, &part) == 0) {
        perf_skip_space(&t);
        if (*t.at) {
            perf_fail(&t, "expected an operator");
        } else if (part.reason) {
            err_set(err, "%s", part.reason);
        } else {
            struct str out = str_new();
            add_part(&out, &part, RANK_COMPARISON);
            result = str_detach(&out);
        }
    }
    part_release(&part);
    return result;
}
