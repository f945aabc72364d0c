#include "view/condition.h"
#include "metric/scan.h"
#include "view/builtin_column.h"
#include "view/view_kind.h"

/* Maximum number of nodes: a chain of `and` is as deep as it is long, so this bounds the depth. */
enum { MOST_NODES = 256 };

/* Longer signs precede their beginnings: the first match wins. */
enum sign {
    SIGN_LEAST,
    SIGN_MOST,
    SIGN_SAME,
    SIGN_OTHER,
    SIGN_EQUAL,
    SIGN_LESS,
    SIGN_MORE,
    SIGN_HAS,
    SIGNS
};
static const char *const signs[] = {"<=", ">=", "==", "!=", "=", "<", ">", "~"};

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
    struct scan scan;
    const struct column_name_scope *names;
    struct condition *condition;
    bool when, machine; /* a condition of --when; names are of the machine */
};

/* ---- words ---- */

/* The length of a word without quotes. */
static size_t condition_word_length(const char *text)
{
    return strcspn(text, " \t\r\n()<>=!~'\"");
}

static bool is_keyword(const char *word, size_t length, const char *keyword)
{
    return length == strlen(keyword) && strncasecmp(word, keyword, length) == 0;
}

static bool accept_keyword(struct scan *scan, const char *keyword)
{
    scan_space(scan);
    size_t length = condition_word_length(scan->at);
    bool is = is_keyword(scan->at, length, keyword);
    scan->at += is ? length : 0;
    return is;
}

static bool is_quote(char c)
{
    return c == '\'' || c == '"';
}

/* Reads a sign of a comparison; -1 with a message. texts: `~` is one. */
static int take_sign(struct condition_parser *parser, enum sign *sign, bool texts)
{
    size_t found = scan_sign(&parser->scan, signs, texts ? SIGNS : SIGN_HAS);
    if (found == (texts ? SIGNS : SIGN_HAS))
        return scan_fail(&parser->scan, parser->scan.at,
                         texts ? "expected = != < <= > >= or ~" : "expected = != < <= > or >=");
    parser->scan.at += strlen(signs[found]);
    *sign = (enum sign)found;
    return 0;
}

/* Reads a word or a text in quotes; the caller frees it. NULL with a message. Signs end a word, but
 * not a value. */
static char *condition_take_word(struct condition_parser *parser, bool value, const char *what)
{
    struct scan *scan = &parser->scan;
    scan_space(scan);
    const char *at = scan->at;
    if (is_quote(*at)) {
        char *text = scan_quoted(scan, "no text between the quotes");
        scan->incomplete = !text && !strchr(at + 1, *at);
        return text;
    }
    size_t length = value ? strcspn(at, " \t\r\n()'\"") : condition_word_length(at);
    if (length == 0 || is_keyword(at, length, "and") || is_keyword(at, length, "or") ||
        is_keyword(at, length, "not")) {
        scan_fail(scan, at, "%s", what);
        return NULL;
    }
    scan->at += length;
    return mem_strndup(at, length);
}

/* ---- names and values ---- */

/* A number of the machine that no row has; false: no such name, or with a frame not known. */
static bool machine_number(const char *name, const struct frame *frame, double *number)
{
    static const char prefix[] = "pressure_", suffix[] = "_full";
    size_t cpus;
    if (strcasecmp(name, "busy") == 0) {
        *number = frame ? load_mean(&frame->load, CPU_BUSY, &cpus) : 0;
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

/* Sets the node's column from the name at `at`. Events of a metric must be counted. */
static int condition_take_name(struct condition_parser *parser, struct node *node, const char *at,
                               const char *word)
{
    const struct column_name_scope *names = parser->names;
    struct column *column = &node->column;
    double ignored;
    node->machine = parser->machine;
    if (node->machine && machine_number(word, NULL, &ignored)) {
        node->name = mem_strdup(word);
        return 0;
    }
    const char *name = column_name_find(names, word);
    if (!name && names->events) {
        const char *near = str_nearest(word, column_name_at, (void *)names);
        return scan_fail(&parser->scan, at, "no column and no counted event '%.60s'%s%s%s", word,
                         near ? " (nearest is '" : "", near ? near : "", near ? "')" : "");
    }
    node->name = mem_strdup(name ? name : word);
    column_init(column, node->name, names->metric_set, names->events);
    if (node->machine && column->kind == COLUMN_FACT)
        return scan_fail(&parser->scan, at,
                         "'%.60s' is of rows, write any(...) or count(...) around it,", word);
    const struct expr *expr = column->metric && names->events ? column->metric->expr : NULL;
    size_t needs = expr ? expr_event_count(expr) : names->events && column->kind == COLUMN_EVENT;
    for (size_t i = 0; i < needs; i++) {
        int index = expr ? column->binding.index[i] : column->event;
        const struct event_info *event = index < 0 ? NULL : &names->events->events[index];
        const char *lacking = expr ? expr_event(expr, i) : column->shown.name;
        const struct view_lookup *lookup = event ? NULL : names->lookup;
        AUTO_FREE char *reason = event && event->reason ? mem_strdup(event->reason)
                                 : lookup && lookup->event_missing
                                     ? lookup->event_missing(lookup->ctx, lacking)
                                     : NULL;
        if (!event || event->state != EVENT_COUNTED)
            return scan_fail(&parser->scan, at,
                             "'%.60s' needs the event '%.60s', which is not counted: %.200s,", word,
                             lacking, reason ? reason : "-e adds it");
    }
    return 0;
}

/* Reads a number with a unit of time; the result is in `unit`. False if either is none of time. */
static bool to_time(const char *text, const char *unit, double *number)
{
    size_t digits = strspn(text, "0123456789.");
    AUTO_FREE char *copy = mem_strndup(text, digits);
    double of = str_unit_seconds(text + digits), to = str_unit_seconds(unit);
    bool is = of > 0 && to > 0 && str_to_double(copy, number);
    *number *= is ? of / to : 1;
    return is;
}

/* 0.5, 10k, 5M, 50% */
static bool to_number(const char *text, double *number)
{
    static const char prefixes[] = "kMGTP";
    size_t length = strlen(text);
    const char last = length ? text[length - 1] : '\0';
    const char *prefix = last ? strchr(prefixes, last == 'K' ? 'k' : last) : NULL;
    AUTO_FREE char *digits = mem_strndup(text, length - (prefix || last == '%'));
    if (!str_to_double(digits, number))
        return false;
    *number *= prefix ? pow(1000, (double)(prefix - prefixes + 1)) : 1;
    return isfinite(*number);
}

static int take_value(struct condition_parser *parser, struct node *node)
{
    const struct column *column = &node->column;
    bool text = column->shown.name && column_is_text(column);
    bool texts = node->sign == SIGN_EQUAL || node->sign == SIGN_SAME || node->sign == SIGN_OTHER;
    const char *unit = column->clock ? "ms" : column->metric ? column->metric->unit.text : "";
    struct scan *scan = &parser->scan;
    scan_space(scan);
    const char *at = scan->at;
    AUTO_FREE char *value = condition_take_word(parser, true, "expected a value");
    const struct view_lookup *lookup = parser->names->lookup;
    if (!value)
        return -1;
    if (text && node->sign != SIGN_HAS && !texts)
        return scan_fail(scan, at, "'%.60s' is a text: expected = != or ~ before it", node->name);
    if (!text && node->sign == SIGN_HAS)
        return scan_fail(scan, at, "'%.60s' is a number: expected = != < <= > or >= before it",
                         node->name);
    if (!text && !to_time(value, unit, &node->number) && !to_number(value, &node->number))
        return scan_fail(scan, at, "expected a number such as 0.5 or 10k");
    struct err err;
    if (texts && lookup && lookup->user_meant && str_equal(node->name, "user")) {
        node->text = lookup->user_meant(lookup->ctx, value, &err);
        if (node->text)
            return 0;
        scan_fail(scan, at, "%s,", err.text);
        scan->incomplete = !*scan->at; /* of a longer name */
        return -1;
    }
    node->text = text ? mem_strdup(value) : NULL;
    return 0;
}

/* ---- the grammar ---- */

static int add_node(struct condition_parser *parser, enum node_kind kind, size_t left, size_t right,
                    size_t *added)
{
    struct condition *condition = parser->condition;
    if (condition->count == MOST_NODES)
        return scan_fail(&parser->scan, parser->scan.at, "too many conditions");
    *added = condition->count;
    *MEM_ADD(condition->nodes, condition->count, condition->room) =
        (struct node){.kind = kind, .left = left, .right = right};
    return 0;
}

static int joined(struct condition_parser *parser, bool any, size_t *added);
static int condition_primary(struct condition_parser *parser, size_t *added);

/* Whether a word and the parenthesis after it are next; the parenthesis stays. */
static bool accept_call(struct scan *scan, const char *word)
{
    const char *at = scan->at;
    bool is = accept_keyword(scan, word);
    scan_space(scan);
    is = is && *scan->at == '(';
    scan->at = is ? scan->at : at;
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
    if (result < 0 || (!any && take_sign(parser, &rows.sign, false) < 0))
        return -1;
    scan_space(&parser->scan);
    const char *at = parser->scan.at;
    AUTO_FREE char *value = any ? NULL : condition_take_word(parser, true, "expected a number");
    if (!any && !value)
        return -1;
    if (value && !to_number(value, &rows.number))
        return scan_fail(&parser->scan, at, "expected a number");
    rows.name = mem_strdup("count");
    parser->condition->nodes[*added] = rows;
    return 0;
}

static int condition_primary(struct condition_parser *parser, size_t *added)
{
    struct scan *scan = &parser->scan;
    scan_space(scan);
    const char *at = scan->at;
    if (parser->machine && accept_call(scan, "any"))
        return condition_rows(parser, true, added);
    if (parser->machine && accept_call(scan, "count"))
        return condition_rows(parser, false, added);
    if (*at == '(') {
        scan->at++;
        if (scan_open(scan, at) < 0 || joined(parser, true, added) < 0)
            return -1;
        scan->depth--;
        return scan_accept(scan, ')') ? 0
                                      : scan_fail(scan, scan->at, "expected 'and', 'or' or ')'");
    }
    if (add_node(parser, NODE_COMPARE, 0, 0, added) < 0)
        return -1;
    struct node *node = &parser->condition->nodes[*added];
    AUTO_FREE char *word =
        condition_take_word(parser, false, "expected a column's name or a text in quotes");
    if (!word)
        return -1;
    if (is_quote(*at) && scan_sign(scan, signs, SIGNS) == SIGNS) {
        node->kind = NODE_TEXT;
        node->text = mem_strdup(word);
        return 0;
    }
    return take_sign(parser, &node->sign, true) < 0 ||
                   condition_take_name(parser, node, at, word) < 0
               ? -1
               : take_value(parser, node);
}

static int unary(struct condition_parser *parser, size_t *added)
{
    bool negative = false;
    while (accept_keyword(&parser->scan, "not"))
        negative = !negative;
    if (condition_primary(parser, added) < 0)
        return -1;
    return negative ? add_node(parser, NODE_NOT, *added, 0, added) : 0;
}

/* One or more operands of `or`, or of `and`, which binds closer. */
static int joined(struct condition_parser *parser, bool any, size_t *added)
{
    const char *keyword = any ? "or" : "and";
    size_t right;
    if ((any ? joined(parser, false, added) : unary(parser, added)) < 0)
        return -1;
    while (accept_keyword(&parser->scan, keyword))
        if ((any ? joined(parser, false, &right) : unary(parser, &right)) < 0 ||
            add_node(parser, any ? NODE_OR : NODE_AND, *added, right, added) < 0)
            return -1;
    return 0;
}

/* What stands before a condition of --when. */
static void take_scope(struct condition_parser *parser)
{
    static const char machine[] = "machine:";
    struct scan *scan = &parser->scan;
    struct condition_when *when = &parser->condition->when;
    scan_space(scan);
    const char *at = scan->at;
    bool named = strncasecmp(at, machine, strlen(machine)) == 0;
    parser->machine = named || accept_call(scan, "count");
    scan->at = named ? at + strlen(machine) : at;
    when->machine = parser->machine;
    when->any = !when->machine && accept_keyword(scan, "any");
}

/* "for 3s" */
static int take_for(struct condition_parser *parser)
{
    static const char what[] = "expected a time such as 3s";
    double *seconds = &parser->condition->when.seconds;
    if (!accept_keyword(&parser->scan, "for"))
        return 0;
    scan_space(&parser->scan);
    const char *at = parser->scan.at;
    AUTO_FREE char *value = condition_take_word(parser, true, what);
    if (!value)
        return -1;
    bool good = str_to_seconds(value, seconds);
    scan_space(&parser->scan);
    return good ? 0 : scan_fail(&parser->scan, at, what);
}

static struct condition *parse_whole(struct condition_parser *parser, const char *text,
                                     struct err *err)
{
    parser->scan = (struct scan){.text = text, .at = text, .err = err};
    parser->condition = mem_alloc(sizeof(*parser->condition));
    if (parser->when)
        take_scope(parser);
    int result = joined(parser, true, &parser->condition->root);
    if (result == 0 && parser->when)
        result = take_for(parser);
    if (result == 0 && *parser->scan.at)
        result =
            scan_fail(&parser->scan, parser->scan.at,
                      parser->when ? "expected 'and', 'or' or 'for'" : "expected 'and' or 'or'");
    if (result == 0)
        return parser->condition;
    condition_free(parser->condition);
    return NULL;
}

struct condition *condition_parse(const char *text, const struct column_name_scope *names,
                                  bool *incomplete, struct err *err)
{
    struct condition_parser parser = {.names = names};
    struct condition *condition = parse_whole(&parser, text, err);
    *incomplete = !condition && parser.scan.incomplete;
    return condition;
}

struct condition *condition_parse_when(const char *text, const struct column_name_scope *names,
                                       struct err *err)
{
    return parse_whole(&(struct condition_parser){.names = names, .when = true}, text, err);
}

struct condition_when condition_when(const struct condition *condition)
{
    return condition->when;
}

bool condition_is(const char *text, const struct column_name_scope *names)
{
    struct scan scan = {.text = text, .at = text};
    do
        scan.at += strspn(scan.at, "( \t\r\n");
    while (accept_keyword(&scan, "not"));
    if (is_quote(*scan.at))
        return true;
    size_t length = condition_word_length(scan.at);
    AUTO_FREE char *name = mem_strndup(scan.at, length);
    scan.at += length;
    bool spaced = scan.at[0] && scan.at[1] && strchr("= \t", scan.at[1]);
    bool piece = *scan.at == '=' && !spaced; /* name=value */
    if (length == 0 || scan_sign(&scan, signs, SIGNS) == SIGNS)
        return false;
    return !piece || column_name_find(names, name);
}

void condition_free(struct condition *condition)
{
    for (size_t i = 0; condition && i < condition->count; i++) {
        column_release(&condition->nodes[i].column);
        free(condition->nodes[i].name);
        free(condition->nodes[i].text);
    }
    if (condition)
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
    enum view_kind kind = context->settings.kind;
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

/* `and` is the least of two, `or` the most; `not` turns them round. */
enum truth { TRUTH_NO, TRUTH_UNKNOWN, TRUTH_YES };

static enum truth truth_of(bool holds)
{
    return holds ? TRUTH_YES : TRUTH_NO;
}

static enum truth compare_text(const struct node *node, const struct view_context *context,
                               const struct row *row)
{
    char text[sizeof(((struct cell *)0)->text)];
    bool command =
        context->settings.kind == VIEW_TASKS && str_equal(node->column.shown.name, "command");
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
    if (!column_fits(&node->column, context->frame->events, &context->settings) ||
        !column_number(&node->column, context, row, number))
        return false;
    if (context->settings.exact)
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
        return column_fits(&node->column, context->frame->events, &context->settings)
                   ? compare_text(node, context, row)
                   : TRUTH_UNKNOWN;
    if (node->kind == NODE_COMPARE || node->kind == NODE_ROWS)
        return node_number(condition, node, context, row, &number) ? compare_number(node, number)
                                                                   : TRUTH_UNKNOWN;
    enum truth left = evaluate(condition, node->left, context, row);
    if (node->kind == NODE_NOT)
        return TRUTH_YES - left;
    /* If one side decides, skip the other, which may read /proc. */
    if (left == (node->kind == NODE_AND ? TRUTH_NO : TRUTH_YES))
        return left;
    enum truth right = evaluate(condition, node->right, context, row);
    return (left < right) == (node->kind == NODE_AND) ? left : right;
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
