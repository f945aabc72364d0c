#include "metric/perf_expr.h"
#include "metric/scan.h"

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

enum { TEXT_MAX = 16384 };

struct translation {
    struct scan scan;
    const struct perf_words *words;
};

static int choice(struct translation *t, struct part *part);

static void part_release(struct part *part)
{
    free(part->text);
    free(part->reason);
    *part = (struct part){0};
}

/* For a local part: released where its block ends. */
#define AUTO_PART __attribute__((cleanup(part_release)))

static void part_set(struct part *part, struct part value)
{
    part_release(part);
    *part = value;
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

/* Appends the part, in parentheses where it binds less than needed. */
static void add_part(struct str *out, const struct part *part, enum rank needed)
{
    bool inner = part->text && part->rank < needed;
    if (part->text)
        str_printf(out, "%s%s%s", inner ? "(" : "", part->text, inner ? ")" : "");
    else
        str_printf(out, part->number < 0 ? "(%.15g)" : "%.15g", part->number);
}

/* Makes *a "BEFORE a BETWEEN b AFTER". */
static void part_join(struct part *a, const struct part *b, const char *before, const char *between,
                      const char *after, enum rank left, enum rank right, enum rank rank)
{
    AUTO_STR struct str out = str_new();
    str_add(&out, before);
    add_part(&out, a, left);
    str_add(&out, between);
    add_part(&out, b, right);
    str_add(&out, after);
    bool fits = out.length <= TEXT_MAX;
    part_set(a, fits ? (struct part){.text = str_detach(&out), .rank = rank}
                     : part_broken("it is too long"));
}

/* ---- operators ---- */

static struct part compute(char sign, double a, double b)
{
    bool whole = strchr("|^&%", sign);
    if (whole && !(fabs(a) < 9e15 && fabs(b) < 9e15))
        return part_broken("a number in it is too large");
    long x = whole ? (long)a : 0, y = whole ? (long)b : 0;
    if ((sign == '%' && y == 0) || (sign == '/' && b == 0))
        return part_broken("a number in it is divided by zero");
    double result = sign == '|'   ? (double)(x | y)
                    : sign == '^' ? (double)(x ^ y)
                    : sign == '&' ? (double)(x & y)
                    : sign == '%' ? (double)(x % y)
                    : sign == '<' ? a < b
                    : sign == '>' ? a > b
                    : sign == '+' ? a + b
                    : sign == '-' ? a - b
                    : sign == '*' ? a * b
                                  : a / b;
    return isfinite(result) ? part_constant(result) : part_broken("a number in it is too large");
}

/* Puts the result into a. */
static void operate(char sign, struct part *a, const struct part *b)
{
    static const struct {
        char sign;
        enum rank left, right, rank;
    } joins[] = {
        {'<', RANK_SUM, RANK_SUM, RANK_COMPARISON},
        {'>', RANK_SUM, RANK_SUM, RANK_COMPARISON},
        {'+', RANK_SUM, RANK_PRODUCT, RANK_SUM},
        {'-', RANK_SUM, RANK_PRODUCT, RANK_SUM},
        {'*', RANK_PRODUCT, RANK_PRIMARY, RANK_PRODUCT},
        {'/', RANK_PRODUCT, RANK_PRIMARY, RANK_PRODUCT},
    };
    bool truths = a->truth && b->truth;
    const char between[] = {' ', sign, ' ', '\0'};
    size_t j = 0, known = sizeof(joins) / sizeof(*joins);
    while (j < known && joins[j].sign != sign)
        j++;
    if (a->reason) {
        return;
    } else if (b->reason) {
        part_set(a, part_broken(b->reason));
    } else if (is_constant(a) && is_constant(b)) {
        *a = compute(sign, a->number, b->number);
    } else if (j < known) {
        part_join(a, b, "", between, "", joins[j].left, joins[j].right, joins[j].rank);
        a->truth = joins[j].rank == RANK_COMPARISON && !a->reason;
    } else if (truths && sign == '|') {
        part_join(a, b, "max(", ", ", ")", RANK_COMPARISON, RANK_COMPARISON, RANK_PRIMARY);
        a->truth = true;
    } else if (truths && sign == '&') {
        part_join(a, b, "", " * ", "", RANK_PRODUCT, RANK_PRIMARY, RANK_PRODUCT);
        a->truth = true;
    } else {
        part_set(a, part_broken("it computes |, ^, & or % of counts, for which there is no "
                                "operator here"));
    }
}

/* ---- words ---- */

static bool is_symbol(char c)
{
    return scan_is_word(c) || (c && strchr("_.:@?", c));
}

/* Reads a name; '@' is '/', and between two of them everything belongs to it. The caller frees it.
 */
static char *read_name(struct scan *scan)
{
    struct str name = str_new();
    bool inside = false;
    for (; *scan->at && (is_symbol(*scan->at) || *scan->at == '\\' || inside); scan->at++) {
        if (*scan->at == '\\' && !scan->at[1])
            break;
        scan->at += *scan->at == '\\';
        if (*scan->at == '\\') /* some files escape twice */
            scan->at += scan->at[1] != '\0';
        else if (*scan->at == '@')
            inside = !inside;
        str_add_char(&name, *scan->at == '@' ? '/' : *scan->at);
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
    if (t->words->find(t->words->ctx, kind, name, &number, &text, &why) < 0)
        *part = part_broken(why.text);
    else if (text)
        *part =
            (struct part){.text = text, .rank = is_one_name(text) ? RANK_PRIMARY : RANK_COMPARISON};
    else
        *part = part_constant(number);
}

static int expect(struct translation *t, char c)
{
    return scan_accept(&t->scan, c) ? 0 : scan_fail(&t->scan, t->scan.at, "expected '%c'", c);
}

/* min(a, b), max(a, b), d_ratio(a, b), from the '(' on. */
static int call_two(struct translation *t, const char *name, struct part *part)
{
    AUTO_PART struct part second = {0};
    if (expect(t, '(') < 0 || choice(t, part) < 0 || expect(t, ',') < 0 || choice(t, &second) < 0 ||
        expect(t, ')') < 0)
        return -1;
    double a = part->number, b = second.number;
    if (part->reason || second.reason) {
        operate('+', part, &second);
    } else if (is_constant(part) && is_constant(&second)) {
        *part = part_constant(str_equal(name, "min")   ? fmin(a, b)
                              : str_equal(name, "max") ? fmax(a, b)
                              : b == 0                 ? 0
                                                       : a / b);
    } else {
        AUTO_FREE char *before = mem_printf("%s(", name);
        part_join(part, &second, before, ", ", ")", RANK_COMPARISON, RANK_COMPARISON, RANK_PRIMARY);
    }
    return 0;
}

/* has_event(NAME) and the like, from the '(' on. */
static int call_name(struct translation *t, enum perf_word kind, struct part *part)
{
    if (expect(t, '(') < 0)
        return -1;
    scan_space(&t->scan);
    AUTO_FREE char *name = read_name(&t->scan);
    if (!*name)
        return scan_fail(&t->scan, t->scan.at, "expected a name");
    find_word(t, kind, name, part);
    return expect(t, ')');
}

static int perf_word(struct translation *t, struct part *part)
{
    static const struct perf_function {
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
    AUTO_FREE char *name = read_name(&t->scan);
    if (!*name || strcmp(name, "if") == 0 || strcmp(name, "else") == 0)
        return scan_fail(&t->scan, t->scan.at, "expected a number, an event, a metric or '('");
    const struct perf_function *function = STR_FIND_IN(functions, name, name);
    if (function)
        return function->kind == PERF_NAME ? call_two(t, name, part)
                                           : call_name(t, function->kind, part);
    find_word(t, PERF_NAME, name, part);
    return 0;
}

static int perf_primary(struct translation *t, struct part *part)
{
    struct scan *scan = &t->scan;
    scan_space(scan);
    if (*scan->at == '#') {
        scan->at++;
        AUTO_FREE char *name = read_name(scan);
        find_word(t, PERF_PROPERTY, name, part);
        return 0;
    }
    if (*scan->at == '.' || scan_is_digit(*scan->at)) {
        double number;
        if (scan_number(scan, &number) < 0)
            return -1;
        *part = part_constant(number);
        return 0;
    }
    if (*scan->at != '(')
        return perf_word(t, part);
    scan->at++;
    if (choice(t, part) < 0)
        return -1;
    return scan_accept(scan, ')') ? 0 : scan_fail(scan, scan->at, "expected an operator or ')'");
}

static int perf_factor(struct translation *t, struct part *part)
{
    bool negative = false;
    while (scan_accept(&t->scan, '-'))
        negative = !negative;
    if (perf_primary(t, part) < 0)
        return -1;
    if (negative) {
        AUTO_PART struct part positive = *part;
        *part = part_constant(0);
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
        AUTO_PART struct part right = {0};
        scan_space(&t->scan);
        char sign = *t->scan.at;
        if (!sign || !strchr(levels[level], sign))
            return 0;
        t->scan.at++;
        if (perf_operators(t, level + 1, &right) < 0)
            return -1;
        operate(sign, part, &right);
    }
}

static bool accept_word(struct scan *scan, const char *word)
{
    size_t length = strlen(word);
    scan_space(scan);
    bool is =
        str_starts(scan->at, word) && !is_symbol(scan->at[length]) && scan->at[length] != '\\';
    scan->at += is ? length : 0;
    return is;
}

/* `x if condition else y`, or x. */
static int choose(struct translation *t, struct part *part)
{
    AUTO_PART struct part condition = {0}, otherwise = {0};
    if (!accept_word(&t->scan, "if"))
        return 0;
    if (perf_operators(t, 0, &condition) < 0)
        return -1;
    if (!accept_word(&t->scan, "else"))
        return scan_fail(&t->scan, t->scan.at, "expected 'else'");
    if (choice(t, &otherwise) < 0)
        return -1;
    if (condition.reason) {
        part_set(part, part_broken(condition.reason));
    } else if (is_constant(&condition) && condition.number == 0) {
        part_set(part, otherwise);
        otherwise = (struct part){0};
    } else if (!is_constant(&condition) && (part->reason || otherwise.reason)) {
        operate('+', part, &otherwise);
    } else if (!is_constant(&condition)) {
        part_join(&condition, part, "if(", ", ", "", RANK_COMPARISON, RANK_COMPARISON,
                  RANK_COMPARISON);
        part_join(&condition, &otherwise, "", ", ", ")", RANK_COMPARISON, RANK_COMPARISON,
                  RANK_PRIMARY);
        part_set(part, condition);
        condition = (struct part){0};
    }
    return 0;
}

static int choice(struct translation *t, struct part *part)
{
    if (scan_open(&t->scan, t->scan.at) < 0 || perf_operators(t, 0, part) < 0 ||
        choose(t, part) < 0)
        return -1;
    t->scan.depth--;
    return 0;
}

char *perf_expr_translate(const char *text, const struct perf_words *words, struct err *err)
{
    struct translation t = {.scan = {.text = text, .at = text, .err = err}, .words = words};
    AUTO_PART struct part part = {0};
    struct str out = str_new();
    if (choice(&t, &part) < 0)
        return NULL;
    scan_space(&t.scan);
    if (*t.scan.at)
        scan_fail(&t.scan, t.scan.at, "expected an operator");
    else if (part.reason)
        err_set(err, "%s", part.reason);
    else
        add_part(&out, &part, RANK_COMPARISON);
    return out.length ? str_detach(&out) : NULL;
}
