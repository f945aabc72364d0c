#include "view/column.h"
#include "base/cells.h"
#include "metric/alias.h"
#include "view/builtin_column.h"
#include "view/view_kind.h"

#include <math.h>

/* Replaces a text that the column owns. */
static void column_own(char **owned, const char **shown, char *text)
{
    free(*owned);
    *shown = *owned = text;
}

/* Shorter forms of whole names and of words. */
static const char *shorter(const char *word, size_t length)
{
    static const char *const forms[][2] = {
        {"context-switches", "ctxsw"},
        {"cpu-migrations", "migr"},
        {"page-faults", "faults"},
        {"minor-faults", "minor"},
        {"major-faults", "major"},
        {"cpu-clock", "cpu"},
        {"task-clock", "task"},
        {"instructions", "instr"},
        {"instruction", "instr"},
        {"branch", "br"},
        {"branches", "br"},
        {"misses", "miss"},
        {"references", "ref"},
        {"stalled", "stall"},
        {"frontend", "fe"},
        {"backend", "be"},
        {"faults", "flt"},
        {"switches", "sw"},
        {"alignment", "align"},
        {"emulation", "emul"},
        {"dcache", "d"},
        {"icache", "i"},
        {"load", "ld"},
        {"loads", "ld"},
        {"store", "st"},
        {"stores", "st"},
        {"prefetch", "pf"},
        {"prefetches", "pf"},
    };
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
        if (strlen(forms[i][0]) == length && strncmp(forms[i][0], word, length) == 0)
            return forms[i][1];
    return NULL;
}

enum { TITLE_USUAL = 12 };

/* The title of an event, without its unit: its last words that fit, with its modifiers: "switch:k"
 * of "sched:sched_switch:k", "L1-d-ld-miss". Only the usual length has shorter forms. */
static char *event_title(const char *name, size_t most)
{
    static const char breaks[] = "-_:/,=.";
    const char *colon = strchr(name, ':'), *suffix = strrchr(name, ':');
    size_t length = strlen(name);
    if (suffix && suffix > name && strspn(suffix + 1, "ukhpPGHSDWe") == strlen(suffix + 1))
        length = (size_t)(suffix - name);
    else
        suffix = "";
    const char *slash = strchr(name, '/');
    if (slash && colon && colon + 1 < slash &&
        most == TITLE_USUAL) { /* a tracepoint with a filter */
        length = (size_t)(slash - name);
    } else if (slash && slash + 1 < name + length && name[length - 1] == '/') { /* msr/tsc/ */
        size_t skip = most == TITLE_USUAL ? (size_t)(slash + 1 - name) : 0;
        name += skip;
        length -= skip + 1;
    }
    AUTO_STR struct str title = str_new();
    const char *whole = most == TITLE_USUAL ? shorter(name, length) : NULL;
    if (whole) {
        str_add(&title, whole);
    } else if (most > TITLE_USUAL || length <= most) {
        str_add_n(&title, name, length);
    } else {
        /* A tracepoint, whose name repeats that of its subsystem. */
        size_t subsystem = colon ? (size_t)(colon - name) : 0;
        if (subsystem && subsystem * 2 + 1 < length && colon[1 + subsystem] == '_' &&
            strncmp(name, colon + 1, subsystem) == 0) {
            name += 2 * subsystem + 2;
            length -= 2 * subsystem + 2;
        }
        for (const char *p = name, *end = name + length; p < end;) {
            size_t word = strcspn(p, breaks);
            word = word < (size_t)(end - p) ? word : (size_t)(end - p);
            const char *form = shorter(p, word);
            str_add_n(&title, form ? form : p, form ? strlen(form) : word);
            p += word;
            if (p < end)
                str_add_char(&title, *p++);
        }
    }
    const char *rest = title.text;
    for (const char *next; strlen(rest) > most && (next = strpbrk(rest, breaks)) && next[1];)
        rest = next + 1;
    return mem_printf("%.*s%s", (int)cells_fit(rest, (int)most, NULL), rest, suffix);
}

void column_retitle(struct column *column, size_t most)
{
    enum { NARROWEST = 6, WIDEST = 20 };
    struct view_column *shown = &column->shown;
    AUTO_FREE char *title = event_title(shown->name, most);
    const char *unit = column->clock                       ? ",ms"
                       : str_equal(column->unit, "Joules") ? ",J"
                                                           : column->unit;
    bool comma = column->measured && *unit != ',';
    column_own(&column->title, &shown->title,
               mem_printf("%s%s%s%s", title, comma ? "," : "", unit, column->rate ? "/s" : ""));
    int width = cells_width(shown->title);
    shown->width = width < NARROWEST ? NARROWEST : width > WIDEST ? WIDEST : width;
}

static void init_metric(struct column *column, const struct metric *metric,
                        const struct event_set *set)
{
    const char *unit = metric->unit.text;
    column->kind = COLUMN_METRIC;
    column->metric = metric;
    column->shown =
        (struct view_column){metric->name, metric->title, metric->help, metric->width, false};
    /* Clocks and watts have rates of their own. */
    bool own_rate = metric->unit.kind == UNIT_HERTZ || str_equal(unit, "W");
    column->rate = expr_per_interval(metric->expr) && !own_rate;
    if (metric->unit.kind == UNIT_COUNT && *unit && unit[1] == '/') /* "M/s" */
        column->factor = *unit == 'k' ? 1e3 : *unit == 'M' ? 1e6 : *unit == 'G' ? 1e9 : 1;
    eval_bind(&column->binding, metric->expr, set);
    for (size_t i = 0; i < expr_event_count(metric->expr); i++) {
        int *event = &column->binding.index[i];
        if (*event >= 0 && !metric_takes(metric, &set->events[*event]))
            *event = -1;
        column->modeless |= *event >= 0 && set->events[*event].modeless;
    }
}

static void init_event(struct column *column, const char *name, const struct event_set *set)
{
    struct view_column *shown = &column->shown;
    column->kind = COLUMN_EVENT;
    column->event = set ? alias_find(set, name) : -1;
    const struct event_info *info = column->event >= 0 ? &set->events[column->event] : NULL;
    column->rate = !info || !scheduler_is_peak(info->kept);
    column->clock = info && str_equal(info->unit, "ns");
    column->modeless = info && info->modeless;
    column->measured = info && *info->unit && !column->clock;
    column->scale = column->clock ? 1e-6 : column->measured ? info->scale : 1;
    column->unit = column->measured ? info->unit : "";
    column->excused = !info || info->state != EVENT_COUNTED || info->shared;
    column_own(&column->name, &shown->name, mem_strdup(name));
    shown->help = !info           ? "not among the events that are counted"
                  : info->kept    ? scheduler_info(info->kept)->text
                  : column->clock ? "milliseconds of it"
                                  : "occurrences";
    if (info && info->state != EVENT_COUNTED && info->reason)
        column_own(&column->help, &shown->help, mem_printf("not counted: %s", info->reason));
    else if (info && info->shared && !info->kept)
        column_own(&column->help, &shown->help,
                   mem_printf("%s%scounts a whole socket: of CPUs, not of tasks", info->unit,
                              *info->unit ? "; " : ""));
    else if (column->measured && !info->kept)
        column_own(&column->help, &shown->help, mem_strdup(info->unit));
    column_retitle(column, TITLE_USUAL);
}

void column_init(struct column *column, const char *name, const struct metric_set *metric_set,
                 const struct event_set *set)
{
    *column = (struct column){.event = -1, .scale = 1, .factor = 1};
    column->builtin = builtin_column_find(name);
    const struct metric *metric = column->builtin ? NULL : metric_set_find(metric_set, name);
    if (column->builtin)
        column->shown = (struct view_column){
            column->builtin->name, column->builtin->title, column->builtin->help,
            column->builtin->width, column->builtin->text || column->builtin->flags & FACT_LEFT};
    else if (metric)
        init_metric(column, metric, set);
    else
        init_event(column, name, set);
}

bool column_init_share(struct column *share, const struct column *of,
                       const struct metric_set *metric_set, const struct event_set *set)
{
    enum { SHARE_WIDTH = 6 };
    if (!of->rate && !(of->builtin && of->builtin->flags & FACT_ADDS_UP))
        return false;
    column_init(share, of->shown.name, metric_set, set);
    struct view_column *shown = &share->shown;
    share->share = true;
    column_own(&share->name, &shown->name, mem_printf("%s%%", of->shown.name));
    column_own(&share->title, &shown->title, mem_printf("%%%s", of->shown.title));
    column_own(&share->help, &shown->help,
               mem_printf("part that the row has of all rows: %s", of->shown.help));
    shown->width =
        cells_width(shown->title) > SHARE_WIDTH ? cells_width(shown->title) : SHARE_WIDTH;
    return true;
}

static bool shows_digits(const struct column *column, const struct view_settings *settings)
{
    return settings->exact && !column->clock && !column->measured &&
           (column->kind == COLUMN_EVENT ||
            (column->kind == COLUMN_METRIC &&
             (column->metric->decimals == METRIC_SI || column->factor > 1)));
}

void column_settle(struct column *column, const struct view_settings *settings)
{
    enum { DIGITS = 13 };
    struct view_column *shown = &column->shown;
    const char *amount = view_amount_text(settings->amount);
    if (column->builtin && settings->kind == VIEW_TASKS && str_equal(shown->name, "cpu"))
        shown->title = "P"; /* as in top(1) */
    if (column->rate) {
        /* "Mcycle/s" without what does not apply: the second, with all digits the prefix. */
        size_t length = strlen(shown->title);
        bool second = length > 2 && strcmp(shown->title + length - 2, "/s") == 0;
        size_t cut = second && settings->amount != AMOUNT_RATE ? 2 : 0;
        size_t skip =
            settings->exact && column->factor > 1 && *shown->title == *column->metric->unit.text;
        column_own(&column->title, &shown->title,
                   mem_strndup(shown->title + skip, length - skip - cut));
    }
    if (column->modeless) {
        column_own(&column->title, &shown->title, mem_printf("k:%s", shown->title));
        if (!column->sized && shown->width < cells_width(shown->title))
            shown->width = cells_width(shown->title);
        column_own(
            &column->help, &shown->help,
            mem_printf("%s %s; k: it happens in kernel mode only, so the mode does not apply",
                       shown->help, column->rate ? amount : ""));
    } else if (column->kind == COLUMN_METRIC && column->rate && settings->amount != AMOUNT_RATE) {
        column_own(&column->help, &shown->help, mem_printf("%s; here: %s", shown->help, amount));
    } else if (column->kind == COLUMN_EVENT && !column->excused) {
        column_own(&column->help, &shown->help, mem_printf("%s %s", shown->help, amount));
    }
    if (shows_digits(column, settings) && shown->width < DIGITS)
        shown->width = DIGITS;
}

void column_release(struct column *column)
{
    free(column->name);
    free(column->title);
    free(column->help);
}

bool column_is_fact(const char *name)
{
    return builtin_column_find(name) != NULL;
}

/* Whether an event is counted between samples of the sampled one: hardware events are, beside it in
 * its group. */
static bool is_read_with(const struct event_set *set, const char *name, const char *sampled)
{
    int event = set ? alias_find(set, name) : -1;
    return event >= 0 && (set->events[event].hardware || str_equal(name, sampled));
}

/* Whether functions can have it: the time on a CPU is only known where that is sampled. */
static bool fits_code(const struct column *column, const struct event_set *set, const char *sampled)
{
    if (column->kind == COLUMN_EVENT)
        return is_read_with(set, column->shown.name, sampled);
    const struct expr *expr = column->metric->expr;
    int event = set && sampled ? alias_find(set, sampled) : -1;
    bool clock = event >= 0 && str_equal(set->events[event].unit, "ns");
    for (size_t i = 0; i < expr_event_count(expr); i++)
        if (!is_read_with(set, expr_event(expr, i), sampled))
            return false;
    return clock || !expr_uses(expr, OP_ONCPU);
}

bool column_fits(const struct column *column, const struct event_set *set,
                 const struct view_settings *settings)
{
    if (column->kind == COLUMN_FACT)
        return builtin_column_fits(column->builtin, settings->kind) &&
               (!(column->builtin->flags & FACT_TOTALS) || settings->amount == AMOUNT_TOTAL) &&
               (!(column->builtin->flags & FACT_SWITCHES) || !settings->sampled ||
                alias_same(settings->sampled, "context-switches"));
    return !view_types[settings->kind].takers &&
           (!column->metric || column_fits_metric(column->metric, settings->kind)) &&
           (!view_of_code(settings->kind) || fits_code(column, set, settings->sampled));
}

bool column_fits_metric(const struct metric *metric, enum view_kind kind)
{
    return (view_of_cpus(kind) || !expr_uses(metric->expr, OP_CPU_KERNEL_TIME)) &&
           (kind == VIEW_CGROUPS || !expr_uses(metric->expr, OP_CGROUP_KERNEL_TIME));
}

bool column_uses(const struct column *column, const char *event)
{
    if (column->kind == COLUMN_EVENT)
        return alias_same(column->shown.name, event);
    if (column->kind == COLUMN_METRIC)
        for (size_t i = 0; i < expr_event_count(column->metric->expr); i++)
            if (alias_same(expr_event(column->metric->expr, i), event))
                return true;
    return false;
}

bool column_is_text(const struct column *column)
{
    return column->kind == COLUMN_FACT && column->builtin->text;
}

bool column_is_measured(const struct column *column)
{
    return !column->share &&
           (column->kind != COLUMN_FACT || column->builtin->flags & FACT_MEASURED);
}

bool column_is_same_asleep(const struct column *column)
{
    return !column->share && column->kind != COLUMN_FACT;
}

static struct value fact_value(const struct builtin_column *builtin,
                               const struct view_context *context, const struct row *row)
{
    struct value value = {.state = VALUE_UNDEFINED, .coverage = 1};
    int64_t units;
    if (builtin->number && builtin->number((struct fact_of){context, row}, &units)) {
        value.number = (double)units / (builtin->flags & FACT_HUNDREDTHS ? 100 : 1);
        value.state = VALUE_COUNTED;
    }
    return value;
}

static struct value share_value(const struct column *column, const struct view_context *context,
                                const struct row *row)
{
    const struct groups *groups = context->groups;
    struct column of = *column;
    struct value sum = {.state = VALUE_COUNTED};
    of.share = false;
    struct value value = column_value(&of, context, row);
    for (size_t g = 0; g < groups->count; g++) {
        struct value part = column_value(&of, context, &groups->rows[g]);
        sum.number += part.number;
        sum.state = part.state > sum.state ? part.state : sum.state;
    }
    value.state = value.state > sum.state ? value.state : sum.state;
    if (value.state < VALUE_UNDEFINED && !(sum.number > 0))
        value.state = VALUE_UNDEFINED;
    value.number *= 100 / sum.number;
    return value;
}

/* A clock is in milliseconds, so that one running all the time has 1000 per second. */
static struct value event_value(const struct column *column, const struct view_context *context,
                                const struct row *row)
{
    if (column->event < 0)
        return (struct value){.state = VALUE_MISSING};
    struct value value = eval_event(context->frame, row, (size_t)column->event);
    double seconds =
        context->settings.amount == AMOUNT_RATE ? frame_seconds(context->frame, row) : 1;
    if (value.state < VALUE_UNDEFINED && !(seconds > 0))
        value.state = VALUE_UNDEFINED;
    value.number *= column->scale;
    value.number /= seconds;
    return value;
}

struct value column_value(const struct column *column, const struct view_context *context,
                          const struct row *row)
{
    const struct metric *metric = column->metric;
    if (column->share)
        return share_value(column, context, row);
    if (column->builtin)
        return fact_value(column->builtin, context, row);
    if (!metric)
        return event_value(column, context, row);
    struct value value = eval_bound(metric->expr, &column->binding, context->frame, row);
    if (column->rate && context->settings.amount != AMOUNT_RATE)
        value.number *= frame_seconds(context->frame, row);
    if (context->settings.exact)
        value.number *= column->factor;
    /* A ratio of two counts of different times, when the task did different things. */
    bool apart = value.state == VALUE_SCALED && value.apart && value.coverage < 1;
    if (apart && metric->unit.kind == UNIT_PERCENT && !(value.number >= 0 && value.number <= 100))
        value.state = VALUE_UNDEFINED;
    return value;
}

struct value column_value_of(const struct column *column, const struct frame *frame)
{
    const struct view_context context = {.frame = frame, .settings.amount = AMOUNT_RATE};
    return column_value(column, &context, &frame->total);
}

struct value column_total(const char *name, const struct metric_set *metric_set,
                          const struct frame *frame)
{
    struct column column;
    column_init(&column, name, metric_set, frame->events);
    struct value value = {.state = VALUE_UNDEFINED};
    if (column.kind != COLUMN_FACT)
        value = column_value_of(&column, frame);
    column_release(&column);
    return value;
}

bool column_number(const struct column *column, const struct view_context *context,
                   const struct row *row, double *number)
{
    struct value value = column_value(column, context, row);
    *number = value.number;
    return value.state < VALUE_UNDEFINED;
}

double column_step(const struct column *column)
{
    const struct metric *metric = column->kind == COLUMN_METRIC ? column->metric : NULL;
    return metric && metric->decimals >= 0 ? pow(10, -metric->decimals) : 0;
}

bool column_text(const struct column *column, const struct view_context *context,
                 const struct row *row, char *text, size_t size)
{
    return column_is_text(column) && builtin_column_text(column->builtin, context, row, text, size);
}

static void fact_cell(const struct column *column, const struct view_context *context,
                      const struct row *row, struct cell *cell)
{
    const struct builtin_column *builtin = column->builtin;
    const struct view_settings *settings = &context->settings;
    const char *name = builtin->name;
    struct fact_of of = {context, row};
    int width = column->shown.width;
    int64_t number = 0;
    size_t folded = group_folded(context->ended, row);
    bool partial = builtin->flags & FACT_PARTIAL;
    /* The sum of a process' threads, which have rows of their own below it. */
    bool sum = settings->kind == VIEW_TASKS && settings->tree && settings->threads &&
               !row->process && row->threads > 1;
    bool known = builtin->number
                     ? builtin->number(of, &number)
                     : builtin_column_text(builtin, context, row, cell->text, sizeof(cell->text));
    cell->role = row->exited ? ROLE_DEAD : sum ? ROLE_VALUE : ROLE_TEXT;
    if (!known && group_is_machine(context, row)) {
        strcpy(cell->text, str_equal(name, level_naming(settings->level, 0)) ? "all" : "");
    } else if (folded && str_equal(name, "pid")) {
        snprintf(cell->text, sizeof(cell->text), "%s%zu", view_marks_ascii(settings) ? "x" : "×",
                 folded);
    } else if (!known) {
        strcpy(cell->text, "-");
        /* /proc has no ended tasks, and no time of a task that is younger than a tick. */
        if (!row->exited)
            cell->role = partial ? ROLE_MISSING : ROLE_DIM;
    } else if (sum && str_equal(name, "tid")) {
        strcpy(cell->text, view_marks_ascii(settings) ? "sum" : "Σ");
    } else if (builtin->flags & (FACT_DRAWN | FACT_BYTES | FACT_TIME)) {
        cell->role = ROLE_TEXT;
        if (builtin->flags & FACT_DRAWN)
            builtin_column_draw(builtin, of, number, cell);
        else if (builtin->flags & FACT_BYTES)
            format_count(cell->text, (double)number, width);
        else
            format_duration(cell->text, (double)number / 1e9, width);
    } else {
        if (builtin->flags & FACT_HUNDREDTHS)
            format_fixed(cell->text, (double)number / 100, 2, width);
        else if (builtin->number)
            format_id(cell->text, number, width);
        /* The naming column is last and takes the remaining width, unless it has its own. */
        else if (column->sized || !str_equal(name, view_types[settings->kind].naming))
            text_cut(cell->text, width);
        if (folded && str_equal(name, "command"))
            strcat(cell->text, "  (ended)");
        if (partial && number < 100)
            cell->role = ROLE_SCALED;
        else if (cell->role == ROLE_TEXT && str_equal(name, "user") && row->uid != context->self)
            cell->role = ROLE_OTHER_USER;
    }
}

/* Why an event has no count in a row, though it is counted. */
static const char *count_missing(const struct frame *frame, const struct row *row,
                                 const struct event_info *event)
{
    if (!row->ran && event->kept)
        return "no record tells of it: it did not run in this interval, and waited or slept "
               "throughout (column S)";
    if (event->kept)
        return "it is known for other rows: of tasks, or of CPUs";
    if (event->shared)
        return "its PMU counts for whole sockets: it is known for CPUs, not for tasks";
    if (event->group >= 0 && frame_is_whole(frame, (size_t)event->group))
        return "the kernel wrote no records of its counts, which are unattributed: some kernels "
               "write none for threads of pid 1";
    return "its event had no counter while this row ran";
}

const char *column_missing(const struct column *column, const struct view_context *context,
                           const struct row *row)
{
    const struct event_set *set = context->frame->events;
    const struct expr *expr = column->metric ? column->metric->expr : NULL;
    size_t needs = expr ? expr_event_count(expr) : column->kind == COLUMN_EVENT;
    struct cell cell;
    column_cell(column, context, row, &cell);
    if (!str_equal(cell.text, "-"))
        return NULL;
    for (size_t i = 0; i < needs; i++) {
        int e = expr ? column->binding.index[i] : column->event;
        if (e < 0)
            return "an event that it needs is not counted on this screen";
        if (set->events[e].state != EVENT_COUNTED)
            return set->events[e].reason;
        if (row->state == EVENT_COUNTED && !(row->counts[e].coverage > 0))
            return count_missing(context->frame, row, &set->events[e]);
    }
    if (needs && row->state != EVENT_COUNTED)
        return row->state == EVENT_DENIED
                   ? "it is a task of another user, or has privileges of its own: root may count it"
                   : "countertop had no descriptor left for it";
    return row->exited ? "it has ended, and /proc tells no more of it"
                       : "there is nothing of the kind, or it is not known for this row";
}

void column_format(char text[FORMAT_SIZE], const struct metric *metric, double number, int width)
{
    if (metric->decimals == METRIC_SI)
        format_count(text, number, width);
    else if (metric->decimals == METRIC_DURATION)
        format_duration(text, number, width);
    else
        format_fixed(text, number, metric->decimals, width);
}

void column_write(const struct column *column, const struct view_settings *settings, double number,
                  int width, char text[FORMAT_SIZE])
{
    enum { MEASURED_DECIMALS = 2 };
    if (shows_digits(column, settings))
        format_digits(text, number, width);
    else if (column->kind == COLUMN_METRIC)
        column_format(text, column->metric, number, width);
    else if (column->measured)
        format_fixed(text, number, MEASURED_DECIMALS, width);
    else
        format_count(text, number, width);
}

/* An amount of events that was a rate before is whole, but for the rounding of doubles. */
static double whole_number(const struct column *column, const struct view_context *context,
                           const struct row *row, double number)
{
    bool rate = context->settings.amount == AMOUNT_RATE;
    bool events =
        column->metric ? metric_counts_events(column->metric) : !column->measured && !column->clock;
    if (!events || !column->rate)
        return number;
    if (rate)
        return format_whole_rate(number, frame_seconds(context->frame, row));
    return fabs(number - round(number)) < 1e-6 ? round(number) : number;
}

/* Whether a number is beyond the metric's bad limit: as it is shown, so that equal ones look equal,
 * and of rows that use at least 1 % of a CPU, or are code. */
static bool is_bad(const struct metric *metric, const struct view_context *context,
                   const struct row *row, double number)
{
    double unit = metric->decimals > 0 ? pow(10, metric->decimals) : 1;
    bool runs = row->oncpu >= 0.01 * frame_seconds(context->frame, row);
    if (!runs && !view_of_code(context->settings.kind))
        return false;
    return metric_judge(metric, metric->decimals < 0 ? number : round(number * unit) / unit) < 0;
}

void column_cell(const struct column *column, const struct view_context *context,
                 const struct row *row, struct cell *cell)
{
    cell->marked = false;
    if (column->kind == COLUMN_FACT && !column->share) {
        fact_cell(column, context, row, cell);
        return;
    }
    struct value value = column_value(column, context, row);
    if (value.state == VALUE_MISSING) {
        strcpy(cell->text, "-");
        cell->role = ROLE_MISSING;
    } else if (value.state == VALUE_UNDEFINED) {
        strcpy(cell->text, "n/a");
        cell->role = ROLE_UNDEFINED;
    } else {
        cell->marked = value.state == VALUE_SCALED;
        int width = column->shown.width - cell->marked; /* one cell for the mark */
        if (column->share)
            format_fixed(cell->text, value.number, 1, width);
        else
            column_write(column, &context->settings,
                         whole_number(column, context, row, value.number), width, cell->text);
        if (cell->marked)
            strcat(cell->text, "~");
        bool bad =
            column->metric && !column->share && is_bad(column->metric, context, row, value.number);
        cell->role = row->exited         ? ROLE_DEAD
                     : bad               ? ROLE_BAD
                     : cell->marked      ? ROLE_SCALED
                     : value.number == 0 ? ROLE_DIM
                                         : ROLE_COUNTED;
    }
}
