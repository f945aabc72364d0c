#include "view/condition.h"
#include "base/mem.h"
#include "base/str.h"
#include "view/builtin_column.h"
#include "view/view_kind.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Maximum number of nodes, and of nested parentheses. A chain of `and` is as deep as it is long, so
 * this bounds the depth of evaluation. */
enum { MOST_NODES = 256, DEEPEST = 32 };

/* Longer signs precede their beginnings: the first match wins. */
enum sign {
    SIGN_LEAST,
    SIGN_MOST,
    SIGN_SAME,
    SIGN_OTHER,
    SIGN_EQUAL,
    SIGN_LESS,
    SIGN_MORE,
    SIGN_HAS
};
static const char *const signs[] = {"<=", ">=", "==", "!=", "=", "<", ">", "~"};
enum { SIGNS = sizeof(signs) / sizeof(*signs) };

enum node_kind { NODE_COMPARE, NODE_TEXT, NODE_NOT, NODE_AND, NODE_OR, NODE_ROWS };

struct node {
    enum node_kind kind;
    size_t left, right;   /* of operators; NOT and ROWS have only a left one */
    bool machine;         /* compares a number of the machine, not of a row */
    struct column column; /* of comparisons; of the machine's own numbers: none */
    char *name;           /* name of the column or number, to bind it again */
    enum sign sign;
    double number;
    char *text; /* or the text to compare with */
};

struct condition {
    struct node *nodes;
    size_t count, room;
    size_t root;
    struct condition_when when;
};

struct condition_parser {
    const char *text, *at;
    const struct column_name_scope *names;
    struct condition *condition;
    int depth;
    bool when, machine; /* a condition of --when; names are of the machine */
    bool incomplete;
    struct err *err;
};

/* ---- words ---- */

static int condition_fail(struct condition_parser *parser, const char *at, const char *what)
{
    parser->incomplete = !*at;
    return err_point(parser->err, what, parser->text, at);
}

static void condition_skip_space(struct condition_parser *parser)
{
    parser->at += strspn(parser->at, " \t\r\n");
}

/* The length of a word without quotes. */
static size_t condition_word_length(const char *text)
{
    return strcspn(text, " \t\r\n()<>=!~'\"");
}

static bool is_keyword(const char *word, size_t length, const char *keyword)
{
    return length == strlen(keyword) && strncasecmp(word, keyword, length) == 0;
}

static bool accept_keyword(struct condition_parser *parser, const char *keyword)
{
    condition_skip_space(parser);
    size_t length = condition_word_length(parser->at);
    bool is = is_keyword(parser->at, length, keyword);
    parser->at += is ? length : 0;
    return is;
}

static bool is_quote(char c)
{
    return c == '\'' || c == '"';
}

static bool find_sign(const char *at, enum sign *sign)
{
    for (size_t i = 0; i < SIGNS; i++)
        if (str_starts(at, signs[i])) {
            *sign = (enum sign)i;
            return true;
        }
    return false;
}

/* ---- names and values ---- */

/* A number of the machine that no row has; false if there is none of that name, or with a frame if
 * it is not known. */
static bool machine_number(const char *name, const struct frame *frame, double *number)
{
    static const char prefix[] = "pressure_", suffix[] = "_full";
    size_t cpus;
    if (strcasecmp(name, "busy") == 0) {
        *number = frame ? load_busy(&frame->load, &cpus) : 0;
        return *number >= 0;
    }
    if (!str_starts(name, prefix))
        return false;
    name += strlen(prefix);
    for (int p = 0; p < PRESSURES; p++) {
        size_t length = strlen(pressure_names[p]);
        if (strncmp(name, pressure_names[p], length) == 0 &&
            (!name[length] || strcmp(name + length, suffix) == 0)) {
            *number = frame ? 100 * load_pressure(&frame->load, p, name[length]) : 0;
            return *number >= 0;
        }
    }
    return false;
}

/* Sets the node's column from the name at `at`. A metric must not need events that are not
 * counted. */
static int condition_take_name(struct condition_parser *parser, struct node *node, const char *at,
                               const char *word)
{
    const struct column_name_scope *names = parser->names;
    char what[256];
    double ignored;
    node->machine = parser->machine;
    if (node->machine && machine_number(word, NULL, &ignored)) {
        node->name = mem_strdup(word);
        return 0;
    }
    const char *name = column_name_find(names, word);
    if (!name && names->events) {
        const char *near = str_nearest(word, column_name_at, (void *)names);
        snprintf(what, sizeof(what), "no column and no counted event '%.60s'%s%s%s", word,
                 near ? " (nearest is '" : "", near ? near : "", near ? "')" : "");
        return condition_fail(parser, at, what);
    }
    struct column *column = &node->column;
    node->name = mem_strdup(name ? name : word);
    column_init(column, node->name, names->metric_set, names->events);
    if (node->machine && column->kind == COLUMN_FACT) {
        snprintf(what, sizeof(what), "'%.60s' is of rows, write any(...) or count(...) around it,",
                 word);
        return condition_fail(parser, at, what);
    }
    if (column->kind != COLUMN_METRIC || !names->events)
        return 0;
    for (size_t i = 0; i < expr_event_count(column->metric->expr); i++)
        if (column->binding.index[i] < 0) {
            snprintf(what, sizeof(what),
                     "'%.60s' needs the event '%.60s', which is not counted (-e adds it),", word,
                     expr_event(column->metric->expr, i));
            return condition_fail(parser, at, what);
        }
    return 0;
}

/* Reads a number with a unit of time; the result is in `unit`. False if it is none, or if `unit` is
 * not one of time. */
static bool to_time(const char *text, const char *unit, double *number)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}, {"min", 60}, {"h", 3600}};
    size_t digits = strspn(text, "0123456789.");
    char *copy = mem_strndup(text, digits);
    double of = 0, to = 0;
    for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
        of += strcmp(text + digits, units[i].name) == 0 ? units[i].seconds : 0;
        to += strcmp(unit, units[i].name) == 0 ? units[i].seconds : 0;
    }
    bool is = of > 0 && to > 0 && str_to_double(copy, number);
    *number *= is ? of / to : 1;
    free(copy);
    return is;
}

/* 0.5, 10k, 5M, 50% */
static bool to_number(const char *text, double *number)
{
    static const char prefixes[] = "kMGTP";
    char digits[64];
    size_t length = strlen(text);
    double factor = 1;
    if (length == 0 || length >= sizeof(digits))
        return false;
    const char last = text[length - 1], *prefix = strchr(prefixes, last == 'K' ? 'k' : last);
    if (prefix)
        factor = pow(1000, (double)(prefix - prefixes + 1));
    length -= prefix || last == '%';
    memcpy(digits, text, length);
    digits[length] = '\0';
    if (!str_to_double(digits, number))
        return false;
    *number *= factor;
    return isfinite(*number);
}

static int take_value(struct condition_parser *parser, struct node *node, const char *at,
                      const char *value)
{
    const struct column *column = &node->column;
    bool text = column->shown.name && column_is_text(column);
    const char *unit = column->clock ? "ms" : column->metric ? column->metric->unit.text : "";
    enum sign sign = node->sign;
    const char *fault = NULL;
    if (text && sign != SIGN_HAS && sign != SIGN_EQUAL && sign != SIGN_SAME && sign != SIGN_OTHER)
        fault = "'%.60s' is a text: expected = != or ~ before it";
    else if (!text && sign == SIGN_HAS)
        fault = "'%.60s' is a number: expected = != < <= > or >= before it";
    else if (!text && !to_time(value, unit, &node->number) && !to_number(value, &node->number))
        fault = "expected a number such as 0.5 or 10k";
    if (fault) {
        char what[128];
        snprintf(what, sizeof(what), fault, node->name);
        return condition_fail(parser, at, what);
    }
    node->text = text ? mem_strdup(value) : NULL;
    return 0;
}

/* Reads a word or a text in quotes; the caller frees it. NULL with a message. Signs end a word, but
 * not a value. */
static char *condition_take_word(struct condition_parser *parser, bool value, const char *what)
{
    condition_skip_space(parser);
    const char *at = parser->at;
    if (is_quote(*at)) {
        const char *close = strchr(at + 1, *at);
        if (!close || close == at + 1) {
            condition_fail(parser, at,
                           close ? "no text between the quotes" : "no closing quote for the one");
            parser->incomplete = !close;
            return NULL;
        }
        parser->at = close + 1;
        return mem_strndup(at + 1, (size_t)(close - at - 1));
    }
    size_t length = value ? strcspn(at, " \t\r\n()'\"") : condition_word_length(at);
    if (length == 0 || is_keyword(at, length, "and") || is_keyword(at, length, "or") ||
        is_keyword(at, length, "not")) {
        condition_fail(parser, at, what);
        return NULL;
    }
    parser->at += length;
    return mem_strndup(at, length);
}

/* ---- the grammar ---- */

static int add_node(struct condition_parser *parser, enum node_kind kind, size_t left, size_t right,
                    size_t *added)
{
    struct condition *condition = parser->condition;
    if (condition->count == MOST_NODES)
        return condition_fail(parser, parser->at, "too many conditions");
    mem_grow(&condition->nodes, &condition->room, condition->count + 1, sizeof(struct node));
    *added = condition->count++;
    condition->nodes[*added] = (struct node){.kind = kind, .left = left, .right = right};
    return 0;
}

static int any_of(struct condition_parser *parser, size_t *added);
static int condition_primary(struct condition_parser *parser, size_t *added);

/* Whether a word and the parenthesis after it are next, which stays. */
static bool accept_call(struct condition_parser *parser, const char *word)
{
    const char *at = parser->at;
    bool is = accept_keyword(parser, word);
    condition_skip_space(parser);
    is = is && *parser->at == '(';
    parser->at = is ? parser->at : at;
    return is;
}

/* any(CONDITION), count(CONDITION) > 5 */
static int condition_rows(struct condition_parser *parser, bool any, size_t *added)
{
    struct node rows = {.kind = NODE_ROWS, .sign = SIGN_MORE};
    if (add_node(parser, NODE_ROWS, 0, 0, added) < 0)
        return -1;
    parser->machine = false;
    int result = condition_primary(parser, &rows.left);
    parser->machine = true;
    condition_skip_space(parser);
    if (result == 0 && !any) {
        if (!find_sign(parser->at, &rows.sign) || rows.sign == SIGN_HAS)
            return condition_fail(parser, parser->at, "expected = != < <= > or >=");
        parser->at += strlen(signs[rows.sign]);
        condition_skip_space(parser);
        const char *at = parser->at;
        char *value = condition_take_word(parser, true, "expected a number");
        if (!value || !to_number(value, &rows.number))
            result = value ? condition_fail(parser, at, "expected a number") : -1;
        free(value);
    }
    rows.name = mem_strdup("count");
    parser->condition->nodes[*added] = rows;
    return result;
}

static int condition_primary(struct condition_parser *parser, size_t *added)
{
    condition_skip_space(parser);
    const char *at = parser->at;
    enum sign sign;
    if (parser->machine && accept_call(parser, "any"))
        return condition_rows(parser, true, added);
    if (parser->machine && accept_call(parser, "count"))
        return condition_rows(parser, false, added);
    if (*at == '(') {
        parser->at++;
        if (++parser->depth > DEEPEST)
            return condition_fail(parser, at, "too deeply nested");
        if (any_of(parser, added) < 0)
            return -1;
        parser->depth--;
        condition_skip_space(parser);
        if (*parser->at != ')')
            return condition_fail(parser, parser->at, "expected 'and', 'or' or ')'");
        parser->at++;
        return 0;
    }
    if (add_node(parser, NODE_COMPARE, 0, 0, added) < 0)
        return -1;
    struct node *node = &parser->condition->nodes[*added];
    char *word = condition_take_word(parser, false, "expected a column's name or a text in quotes");
    if (!word)
        return -1;
    condition_skip_space(parser);
    if (is_quote(*at) && !find_sign(parser->at, &sign)) {
        node->kind = NODE_TEXT;
        node->text = word;
        return 0;
    }
    int result = -1;
    if (!find_sign(parser->at, &node->sign)) {
        condition_fail(parser, parser->at, "expected = != < <= > >= or ~");
    } else if (condition_take_name(parser, node, at, word) == 0) {
        parser->at += strlen(signs[node->sign]);
        condition_skip_space(parser);
        const char *value_at = parser->at;
        char *value = condition_take_word(parser, true, "expected a value");
        result = value ? take_value(parser, node, value_at, value) : -1;
        free(value);
    }
    free(word);
    return result;
}

static int unary(struct condition_parser *parser, size_t *added)
{
    bool negative = false;
    while (accept_keyword(parser, "not"))
        negative = !negative;
    if (condition_primary(parser, added) < 0)
        return -1;
    return negative ? add_node(parser, NODE_NOT, *added, 0, added) : 0;
}

static int all_of(struct condition_parser *parser, size_t *added)
{
    size_t right;
    if (unary(parser, added) < 0)
        return -1;
    while (accept_keyword(parser, "and"))
        if (unary(parser, &right) < 0 || add_node(parser, NODE_AND, *added, right, added) < 0)
            return -1;
    return 0;
}

static int any_of(struct condition_parser *parser, size_t *added)
{
    size_t right;
    if (all_of(parser, added) < 0)
        return -1;
    while (accept_keyword(parser, "or"))
        if (all_of(parser, &right) < 0 || add_node(parser, NODE_OR, *added, right, added) < 0)
            return -1;
    return 0;
}

/* What stands before a condition of --when. */
static void take_scope(struct condition_parser *parser)
{
    static const char machine[] = "machine:";
    struct condition_when *when = &parser->condition->when;
    condition_skip_space(parser);
    const char *at = parser->at;
    if (strncasecmp(at, machine, strlen(machine)) == 0) {
        parser->at += strlen(machine);
        parser->machine = true;
    } else if (accept_call(parser, "count")) {
        parser->at = at;
        parser->machine = true;
    } else {
        when->any = accept_keyword(parser, "any");
    }
    when->machine = parser->machine;
}

/* "for 3s" */
static int take_for(struct condition_parser *parser)
{
    double *seconds = &parser->condition->when.seconds;
    if (!accept_keyword(parser, "for"))
        return 0;
    condition_skip_space(parser);
    const char *at = parser->at;
    char *value = condition_take_word(parser, true, "expected a time such as 3s");
    bool good = value && (to_time(value, "s", seconds) || str_to_double(value, seconds));
    free(value);
    condition_skip_space(parser);
    return !value ? -1 : good ? 0 : condition_fail(parser, at, "expected a time such as 3s");
}

static struct condition *parse_whole(struct condition_parser *parser)
{
    parser->at = parser->text;
    parser->condition = mem_alloc(sizeof(*parser->condition));
    if (parser->when)
        take_scope(parser);
    int result = any_of(parser, &parser->condition->root);
    if (result == 0 && parser->when)
        result = take_for(parser);
    if (result == 0 && *parser->at)
        result = condition_fail(parser, parser->at,
                                parser->when ? "expected 'and', 'or' or 'for'"
                                             : "expected 'and' or 'or'");
    if (result == 0)
        return parser->condition;
    condition_free(parser->condition);
    return NULL;
}

struct condition *condition_parse(const char *text, const struct column_name_scope *names,
                                  bool *incomplete, struct err *err)
{
    struct condition_parser parser = {.text = text, .names = names, .err = err};
    struct condition *condition = parse_whole(&parser);
    *incomplete = !condition && parser.incomplete;
    return condition;
}

struct condition *condition_parse_when(const char *text, const struct column_name_scope *names,
                                       struct err *err)
{
    return parse_whole(
        &(struct condition_parser){.text = text, .names = names, .when = true, .err = err});
}

struct condition_when condition_when(const struct condition *condition)
{
    return condition->when;
}

bool condition_is(const char *text, const struct column_name_scope *names)
{
    struct condition_parser parser = {.text = text, .at = text};
    enum sign sign;
    do {
        condition_skip_space(&parser);
        parser.at += strspn(parser.at, "( \t\r\n");
    } while (accept_keyword(&parser, "not"));
    const char *at = parser.at;
    if (is_quote(*at))
        return true;
    size_t length = condition_word_length(at);
    parser.at += length;
    char next = *parser.at ? parser.at[1] : '\0';
    bool piece = *parser.at == '=' && next != '=' && next != ' ' && next != '\t';
    condition_skip_space(&parser);
    if (length == 0 || !find_sign(parser.at, &sign))
        return false;
    char *name = mem_strndup(at, length);
    bool known = column_name_find(names, name) != NULL;
    free(name);
    return known || !piece;
}

void condition_free(struct condition *condition)
{
    if (!condition)
        return;
    for (size_t i = 0; i < condition->count; i++) {
        column_release(&condition->nodes[i].column);
        free(condition->nodes[i].name);
        free(condition->nodes[i].text);
    }
    free(condition->nodes);
    free(condition);
}

void condition_bind(struct condition *condition, const struct column_name_scope *names)
{
    for (size_t i = 0; i < condition->count; i++) {
        struct node *node = &condition->nodes[i];
        if (!node->column.shown.name)
            continue;
        column_release(&node->column);
        column_init(&node->column, node->name, names->metric_set, names->events);
    }
}

/* ---- evaluation ---- */

bool condition_contains(const struct view_context *context, const struct row *row, const char *text)
{
    enum view_kind kind = context->settings->kind;
    char cell[sizeof(((struct cell *)0)->text)];
    if (kind == VIEW_FUNCTIONS &&
        builtin_column_text(builtin_column_find("object"), context, row, cell, sizeof(cell)) &&
        strcasestr(cell, text))
        return true;
    if (view_adds_up(kind) || view_of_code(kind))
        return builtin_column_text(builtin_column_find(view_types[kind].naming), context, row, cell,
                                   sizeof(cell)) &&
               strcasestr(cell, text);
    if (kind != VIEW_TASKS || strcasestr(row->comm, text))
        return kind == VIEW_TASKS;
    AUTO_FREE char *line = row->exited ? NULL : proc_ask(context, row->pid, 0, PROC_CMDLINE);
    return line && strcasestr(line, text);
}

enum truth { TRUTH_NO, TRUTH_YES, TRUTH_UNKNOWN };

static enum truth truth_of(bool holds)
{
    return holds ? TRUTH_YES : TRUTH_NO;
}

static enum truth compare_text(const struct node *node, const struct view_context *context,
                               const struct row *row)
{
    char text[sizeof(((struct cell *)0)->text)];
    bool command =
        context->settings->kind == VIEW_TASKS && str_equal(node->column.shown.name, "command");
    if (command && node->sign == SIGN_HAS)
        return truth_of(condition_contains(context, row, node->text));
    if (!command && !column_text(&node->column, context, row, text, sizeof(text)))
        return TRUTH_UNKNOWN;
    const char *value = command ? row->comm : text;
    if (node->sign == SIGN_HAS)
        return truth_of(strcasestr(value, node->text));
    return truth_of((strcasecmp(value, node->text) == 0) != (node->sign == SIGN_OTHER));
}

static enum truth evaluate(const struct condition *condition, size_t at,
                           const struct view_context *context, const struct row *row);

/* The number that a node compares; false if it has no value. */
static bool node_number(const struct condition *condition, const struct node *node,
                        const struct view_context *context, const struct row *row, double *number)
{
    *number = 0;
    if (node->kind == NODE_ROWS) {
        for (size_t i = 0; i < context->row_count; i++)
            *number += evaluate(condition, node->left, context, context->rows[i]) == TRUTH_YES;
        return true;
    }
    if (node->machine && !node->column.shown.name)
        return machine_number(node->name, context->frame, number);
    if (node->machine) {
        struct value value = column_value_of(&node->column, context->frame);
        *number = value.number;
        return value.state < VALUE_UNDEFINED;
    }
    if (!column_fits(&node->column, context->frame->events, context->settings) ||
        !column_number(&node->column, context, row, number))
        return false;
    if (context->settings->exact)
        *number /= node->column.factor; /* the same condition with or without all digits */
    return true;
}

static enum truth compare_number(const struct node *node, double number)
{
    /* Numbers closer than half of the last shown decimal are equal; for 0 only 0 is. */
    double wanted = node->number, tolerance = wanted != 0 ? column_step(&node->column) / 2 : 0;
    bool equal = fabs(number - wanted) <= tolerance;
    return truth_of(node->sign == SIGN_LEAST  ? number <= wanted
                    : node->sign == SIGN_MOST ? number >= wanted
                    : node->sign == SIGN_LESS ? number < wanted
                    : node->sign == SIGN_MORE ? number > wanted
                                              : equal != (node->sign == SIGN_OTHER));
}

static enum truth evaluate(const struct condition *condition, size_t at,
                           const struct view_context *context, const struct row *row)
{
    const struct node *node = &condition->nodes[at];
    double number;
    if (node->kind == NODE_TEXT)
        return truth_of(condition_contains(context, row, node->text));
    if (node->kind == NODE_COMPARE && node->text)
        return column_fits(&node->column, context->frame->events, context->settings)
                   ? compare_text(node, context, row)
                   : TRUTH_UNKNOWN;
    if (node->kind == NODE_COMPARE || node->kind == NODE_ROWS)
        return node_number(condition, node, context, row, &number) ? compare_number(node, number)
                                                                   : TRUTH_UNKNOWN;
    enum truth left = evaluate(condition, node->left, context, row);
    if (node->kind == NODE_NOT)
        return left == TRUTH_UNKNOWN ? left : truth_of(left == TRUTH_NO);
    /* If one side decides, skip the other, which may read /proc. */
    enum truth decisive = node->kind == NODE_AND ? TRUTH_NO : TRUTH_YES;
    if (left == decisive)
        return left;
    enum truth right = evaluate(condition, node->right, context, row);
    return right == decisive || left != TRUTH_UNKNOWN ? right : left;
}

bool condition_holds(const struct condition *condition, const struct view_context *context,
                     const struct row *row)
{
    return evaluate(condition, condition->root, context, row) == TRUTH_YES;
}

const char *condition_number(const struct condition *condition, const struct view_context *context,
                             const struct row *row, double *number)
{
    for (size_t i = 0; i < condition->count; i++) {
        const struct node *node = &condition->nodes[i];
        if (node->name && (!node->column.shown.name || column_is_measured(&node->column)))
            return node_number(condition, node, context, row, number) ? node->name : NULL;
    }
    return NULL;
}
