#include "view/column.h"
#include "base/cells.h"
#include "base/mem.h"
#include "base/str.h"
#include "metric/alias.h"
#include "view/builtin_column.h"
#include "view/cpu_level.h"
#include "view/format.h"
#include "view/view_kind.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *event_help(struct column *column, const struct event_info *info)
{
    column->excused = !info || info->state != EVENT_COUNTED || info->shared;
    if (!info)
        return "not among the events that are counted";
    if (info->state != EVENT_COUNTED && info->reason)
        return column->owned[1] = mem_printf("not counted: %s", info->reason);
    if (info->kept)
        return scheduler_info(info->kept)->text;
    if (info->shared)
        return column->owned[1] = mem_printf("%s%scounts a whole socket: of CPUs, not of tasks",
                                             info->unit, *info->unit ? "; " : "");
    if (column->clock)
        return "milliseconds of it";
    if (column->measured)
        return column->owned[1] = mem_strdup(info->unit);
    return "occurrences";
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

/* The title of an event, without its unit: its last words that fit, with its modifiers:
 * "sched:sched_switch:k" is "switch:k", "L1-dcache-load-misses" is "L1-d-ld-miss". Only the usual
 * length has shorter forms. */
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
    struct str title = str_new();
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
    char *result = mem_printf("%.*s%s", (int)cells_fit(rest, (int)most, NULL), rest, suffix);
    str_release(&title);
    return result;
}

void column_retitle(struct column *column, size_t most)
{
    enum { NARROWEST = 6, WIDEST = 20 };
    char *title = event_title(column->shown.name, most);
    free(column->owned[3]);
    const char *unit = column->clock                       ? ",ms"
                       : str_equal(column->unit, "Joules") ? ",J"
                                                           : column->unit;
    bool comma = column->measured && *unit != ',';
    column->owned[3] =
        mem_printf("%s%s%s%s", title, comma ? "," : "", unit, column->rate ? "/s" : "");
    free(title);
    column->shown.title = column->owned[3];
    int width = cells_width(column->owned[3]);
    column->shown.width = width < NARROWEST ? NARROWEST : width > WIDEST ? WIDEST : width;
}

void column_init(struct column *column, const char *name, const struct metric_set *metric_set,
                 const struct event_set *set)
{
    *column = (struct column){.event = -1, .scale = 1, .factor = 1};
    const struct metric *metric;
    if ((column->builtin = builtin_column_find(name))) {
        column->kind = COLUMN_FACT;
        column->shown = column->builtin->shown;
    } else if ((metric = metric_set_find(metric_set, name))) {
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
    } else {
        column->kind = COLUMN_EVENT;
        column->event = set ? alias_find(set, name) : -1;
        const struct event_info *info = column->event >= 0 ? &set->events[column->event] : NULL;
        column->rate = !info || !scheduler_is_peak(info->kept);
        column->clock = info && str_equal(info->unit, "ns");
        column->modeless = info && info->modeless;
        column->measured = info && *info->unit && !column->clock;
        column->scale = column->clock ? 1e-6 : column->measured ? info->scale : 1;
        column->owned[0] = mem_strdup(name);
        column->shown =
            (struct view_column){.name = column->owned[0], .help = event_help(column, info)};
        column->unit = column->measured ? info->unit : "";
        column_retitle(column, TITLE_USUAL);
    }
}

bool column_init_share(struct column *share, const struct column *of,
                       const struct metric_set *metric_set, const struct event_set *set)
{
    enum { SHARE_WIDTH = 6 };
    if (!of->rate && !(of->builtin && of->builtin->adds_up))
        return false;
    column_init(share, of->shown.name, metric_set, set);
    share->share = true;
    free(share->owned[3]);
    share->owned[3] = mem_printf("%s%%", of->shown.name);
    free(share->owned[4]);
    share->owned[4] = mem_printf("%%%s", of->shown.title);
    free(share->owned[2]);
    share->owned[2] = mem_printf("part that the row has of all rows: %s", of->shown.help);
    share->shown =
        (struct view_column){share->owned[3], share->owned[4], share->owned[2], SHARE_WIDTH, false};
    if (cells_width(share->shown.title) > SHARE_WIDTH)
        share->shown.width = cells_width(share->shown.title);
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
    if (column->builtin && column->builtin->of_task && settings->kind == VIEW_TASKS)
        shown->title = column->builtin->of_task;
    const char *between =
        column->kind == COLUMN_METRIC && column->rate && settings->amount != AMOUNT_RATE
            ? "; here: "
        : column->kind == COLUMN_EVENT && !column->excused ? " "
                                                           : NULL;
    if (column->rate) {
        /* "Mcycle/s" without the parts that do not apply: the second, and with all digits the
         * prefix. */
        size_t length = strlen(shown->title);
        bool second = length > 2 && strcmp(shown->title + length - 2, "/s") == 0;
        size_t cut = second && settings->amount != AMOUNT_RATE ? 2 : 0;
        size_t skip =
            settings->exact && column->factor > 1 && *shown->title == *column->metric->unit.text;
        column->owned[4] = mem_strndup(shown->title + skip, length - skip - cut);
        shown->title = column->owned[4];
    }
    if (column->modeless) {
        char *marked = mem_printf("k:%s", shown->title);
        free(column->owned[4]);
        shown->title = column->owned[4] = marked;
        shown->width = column->sized || shown->width >= cells_width(marked) ? shown->width
                                                                            : cells_width(marked);
        between = NULL;
        shown->help = column->owned[2] =
            mem_printf("%s %s; it happens in kernel mode only, so the mode does not apply",
                       shown->help, column->rate ? view_amount_text(settings->amount) : "");
    }
    if (shows_digits(column, settings) && shown->width < DIGITS)
        shown->width = DIGITS;
    if (between)
        shown->help = column->owned[2] =
            mem_printf("%s%s%s", shown->help, between, view_amount_text(settings->amount));
}

void column_release(struct column *column)
{
    for (size_t i = 0; i < sizeof(column->owned) / sizeof(column->owned[0]); i++)
        free(column->owned[i]);
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
    return clock || !expr_uses_oncpu(expr);
}

bool column_fits(const struct column *column, const struct event_set *set,
                 const struct view_settings *settings)
{
    if (column->kind == COLUMN_FACT)
        return builtin_column_fits(column->builtin, settings->kind) &&
               (!column->builtin->totals || settings->amount == AMOUNT_TOTAL) &&
               (!column->builtin->of_switches || !settings->sampled ||
                alias_same(settings->sampled, "context-switches"));
    return (!column->metric || column_fits_metric(column->metric, settings->kind)) &&
           (!view_of_code(settings->kind) || fits_code(column, set, settings->sampled));
}

bool column_fits_metric(const struct metric *metric, enum view_kind kind)
{
    return (view_of_cpus(kind) || !expr_of_cpus(metric->expr)) &&
           (kind == VIEW_CGROUPS || !expr_of_cgroups(metric->expr));
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
    return !column->share && (column->kind != COLUMN_FACT || column->builtin->measured);
}

bool column_is_same_asleep(const struct column *column)
{
    return !column->share && column->kind != COLUMN_FACT;
}

static bool fact_number(const struct builtin_column *builtin, const struct view_context *context,
                        const struct row *row, double *number)
{
    int64_t units;
    if (!builtin->number || !builtin->number(context, row, &units))
        return false;
    *number = (double)units / pow(10, builtin->decimals);
    return true;
}

/* The value of a column that is an amount, whether it is measured or not. */
static struct value amount_of(const struct column *column, const struct view_context *context,
                              const struct row *row)
{
    if (column->kind != COLUMN_FACT)
        return column_value(column, context, row);
    struct value value = {.state = VALUE_COUNTED, .coverage = 1};
    if (!fact_number(column->builtin, context, row, &value.number))
        value.state = VALUE_UNDEFINED;
    return value;
}

static struct value share_value(const struct column *column, const struct view_context *context,
                                const struct row *row)
{
    const struct groups *groups = context->groups;
    struct column of = *column;
    struct value sum = {.state = VALUE_COUNTED};
    of.share = false;
    struct value value = amount_of(&of, context, row);
    for (size_t g = 0; g < groups->count; g++) {
        struct value part = amount_of(&of, context, &groups->rows[g]);
        sum.number += part.number;
        sum.state = part.state > sum.state ? part.state : sum.state;
    }
    value.state = value.state > sum.state ? value.state : sum.state;
    if (value.state < VALUE_UNDEFINED && !(sum.number > 0))
        value.state = VALUE_UNDEFINED;
    value.number *= 100 / sum.number;
    return value;
}

struct value column_value(const struct column *column, const struct view_context *context,
                          const struct row *row)
{
    if (column->share)
        return share_value(column, context, row);
    const struct frame *frame = context->frame;
    const struct metric *metric = column->metric;
    bool per_second = context->settings->amount == AMOUNT_RATE;
    if (column->kind == COLUMN_FACT) {
        struct value value = {.state = VALUE_COUNTED, .coverage = 1};
        if (!column->builtin->measured ||
            !fact_number(column->builtin, context, row, &value.number))
            value.state = VALUE_UNDEFINED;
        return value;
    }
    if (!metric && column->event < 0)
        return (struct value){.state = VALUE_MISSING};
    if (!metric) {
        /* A clock is in milliseconds, so that one running all the time has 1000 per second. */
        struct value value = eval_event(frame, row, (size_t)column->event);
        value.number *= column->scale;
        if (!per_second)
            return value;
        double seconds = frame_seconds(frame, row);
        if (value.state < VALUE_UNDEFINED && !(seconds > 0))
            value.state = VALUE_UNDEFINED;
        value.number /= seconds;
        return value;
    }
    struct value value = eval_bound(metric->expr, &column->binding, frame, row);
    if (column->rate && !per_second)
        value.number *= frame_seconds(frame, row);
    if (context->settings->exact)
        value.number *= column->factor;
    /* A ratio of two counts that were counted at different times, when the task did different
     * things. */
    bool apart = value.state == VALUE_SCALED && value.apart && value.coverage < 1;
    if (apart && metric->unit.kind == UNIT_PERCENT && !(value.number >= 0 && value.number <= 100))
        value.state = VALUE_UNDEFINED;
    return value;
}

struct value column_value_of(const struct column *column, const struct frame *frame)
{
    const struct view_settings rates = {.amount = AMOUNT_RATE};
    const struct view_context context = {.frame = frame, .settings = &rates};
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
    if (column->kind == COLUMN_FACT && !column->share)
        return fact_number(column->builtin, context, row, number);
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

/* Whether it is the sum of a process' threads, which have rows of their own below it. */
static bool is_sum(const struct view_context *context, const struct row *row)
{
    const struct view_settings *settings = context->settings;
    return settings->kind == VIEW_TASKS && settings->tree && settings->threads && !row->process &&
           row->threads > 1;
}

static void fact_cell(const struct column *column, const struct view_context *context,
                      const struct row *row, struct cell *cell)
{
    const struct builtin_column *builtin = column->builtin;
    const char *name = builtin->shown.name;
    int64_t number = 0;
    bool known = builtin->number
                     ? builtin->number(context, row, &number)
                     : builtin_column_text(builtin, context, row, cell->text, sizeof(cell->text));
    const struct view_settings *settings = context->settings;
    cell->role = ROLE_TEXT;
    if (!known && view_of_cpus(settings->kind) && cpu_level_is_total(context->levels, row)) {
        strcpy(cell->text, str_equal(name, cpu_level_naming(settings->level, 0)) ? "all" : "");
        return;
    }
    if (!known) {
        strcpy(cell->text, "-");
        /* /proc has no ended tasks, and no time of a task that is younger than a tick. */
        cell->role = row->exited ? ROLE_DEAD : builtin->partial ? ROLE_MISSING : ROLE_DIM;
        return;
    }
    bool sum = is_sum(context, row);
    if (sum && str_equal(name, "tid")) {
        strcpy(cell->text, view_marks_ascii(settings) ? "sum" : "Σ");
        cell->role = row->exited ? ROLE_DEAD : ROLE_VALUE;
        return;
    }
    if (builtin->draw) {
        builtin->draw(context, row, number, cell);
        return;
    }
    if (builtin->decimals)
        format_fixed(cell->text, (double)number / pow(10, builtin->decimals), builtin->decimals,
                     column->shown.width);
    else if (builtin->number)
        format_id(cell->text, number, column->shown.width);
    /* The naming column is last and takes the remaining width, unless it has a width of its own. */
    else if (column->sized || !str_equal(name, view_types[settings->kind].naming))
        text_cut(cell->text, column->shown.width);
    if (builtin->partial && number < 100)
        cell->role = ROLE_SCALED;
    else if (row->exited)
        cell->role = ROLE_DEAD;
    else if (sum)
        cell->role = ROLE_VALUE;
    else if (str_equal(name, "user") && row->uid != context->self)
        cell->role = ROLE_OTHER_USER;
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
    bool rate = context->settings->amount == AMOUNT_RATE;
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
    if (!runs && !view_of_code(context->settings->kind))
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
            column_write(column, context->settings,
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
