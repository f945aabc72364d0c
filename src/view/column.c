#include "view/column.h"
#include "metric/alias.h"
#include "view/builtin_column.h"
#include "view/view_kind.h"

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

/* Gives an event's column a title that is longer than usual: at most that many cells without its
 * unit. For columns whose short titles are the same. */
static void column_retitle(struct column *column, size_t most)
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

/* Makes it the share of that column, if that is an amount: false, and nothing to release, if it is
 * not. Call it after column_settle(). */
static bool column_init_share(struct column *share, const struct column *of,
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

/* Sets title, help and width for the amount in the settings; before they are those of rates. */
static void column_settle(struct column *column, const struct view_settings *settings)
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

/* Of the sum of all rows that have the amount: one without it leaves the others theirs. */
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
        if (part.state >= VALUE_UNDEFINED)
            continue;
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

/* ---- the columns of a table ---- */

/* State while columns are chosen. */
struct choice {
    struct column_list *list;
    const struct screen *screen;
    const struct metric_set *metric_set;
    const struct event_set *set;
    const struct view_settings *settings;
};

static void column_set_clear(struct column_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        column_release(&list->columns[i]);
    list->count = 0;
}

void column_list_release(struct column_list *list)
{
    column_set_clear(list);
    free(list->columns);
    *list = (struct column_list){0};
}

const struct column *column_list_find(const struct column_list *list, const char *name)
{
    return STR_FIND(list->columns, list->count, shown.name, name);
}

/* Whether a metric of a built-in screen would be empty here, because the machine does not know an
 * event of it, such as a sensor of power, or the processor has no such event while what the screen
 * requires is counted. Events that it requires are not left out. */
static bool lacks_event(const struct choice *choice, const struct column *column)
{
    const struct screen *screen = choice->screen;
    if (!choice->set || !screen->builtin || column->kind != COLUMN_METRIC)
        return false;
    bool of_use = screen->requires.count && screen_fits(screen, choice->set);
    for (size_t i = 0; i < expr_event_count(column->metric->expr); i++) {
        const char *event = expr_event(column->metric->expr, i);
        int at = column->binding.index[i];
        const struct event_info *info = at >= 0 ? &choice->set->events[at] : NULL;
        bool required = false;
        for (size_t r = 0; r < screen->requires.count; r++)
            required |= alias_same(screen->requires.items[r], event);
        bool unknown = info && info->state != EVENT_COUNTED && !info->encoding;
        bool never = of_use && info && info->state == EVENT_UNSUPPORTED;
        if ((unknown || never) && !required)
            return true;
    }
    return false;
}

/* Appends the column of that name unless it is in the list or not for this view. */
static void column_set_add(const struct choice *choice, const char *name)
{
    struct column_list *list = choice->list;
    if (column_list_find(list, name))
        return;
    struct column column;
    column_init(&column, name, choice->metric_set, choice->set);
    bool unknown = choice->set && column.kind == COLUMN_EVENT && column.event < 0;
    const struct screen *original = choice->screen->original;
    /* A user added this event and removed it later: a working copy keeps its position. */
    bool gone = unknown && original && !screen_has_column(original, name);
    if (gone || lacks_event(choice, &column) ||
        !column_fits(&column, choice->set, choice->settings)) {
        column_release(&column);
        return;
    }
    if (unknown && screen_counts(choice->screen, name))
        column.shown.help = "not counted any more";
    *MEM_ADD(list->columns, list->count, list->room) = column;
}

/* Adds events that no column of the screen uses, unless a working copy hides them. */
static void add_unasked(const struct choice *choice, const char *name)
{
    if (!names_has(&choice->screen->hidden, name))
        column_set_add(choice, name);
}

/* Columns of wide terminals, in this order. Each stands where the last column keeps that many
 * cells, and where the screen has the column that it belongs to. */
static const struct spare {
    const char *name;
    int rest;
    const char *of; /* NULL: any screen */
} spares[] = {
    {"trend", 16, NULL},   {"topdown", 24, "td_retiring_pct"},
    {"state", 24, NULL},   {"threads", 24, NULL},
    {"sys_pct", 24, NULL}, {"us_per_switch", 56, "ctxsw_per_s"},
    {"res", 64, NULL},     {"io", 64, NULL},
};

static void add_spare(const struct choice *choice, const struct spare *spare)
{
    struct column_list *list = choice->list;
    size_t count = list->count;
    if (spare->of && !column_list_find(list, spare->of))
        return;
    add_unasked(choice, spare->name);
    if (list->count > count)
        list->columns[count].spare = spare->rest;
}

/* Longer titles for events whose titles are those of others, then the users' widths. */
static void tell_apart(const struct choice *choice)
{
    enum { LONGER = 20, LONGEST = 255 };
    struct column_list *list = choice->list;
    for (size_t most = LONGER; most <= LONGEST; most *= 2)
        for (size_t i = 0; i < list->count; i++) {
            const char *title = list->columns[i].shown.title;
            bool found = false;
            for (size_t k = list->count; k-- > i + 1;) {
                struct column *other = &list->columns[k];
                if (!str_equal(other->shown.title, title))
                    continue;
                found = true;
                if (other->kind == COLUMN_EVENT)
                    column_retitle(other, most);
            }
            if (found && list->columns[i].kind == COLUMN_EVENT)
                column_retitle(&list->columns[i], most);
        }
    for (size_t i = 0; i < list->count; i++) {
        struct column *column = &list->columns[i];
        int width = screen_width(choice->screen, column->shown.name);
        column->sized = width > 0;
        if (column->sized)
            column->shown.width = width;
        column_settle(column, choice->settings);
    }
}

/* Puts the share of each amount beside it. Where a terminal is narrow they are left out. */
static void add_shares(const struct choice *choice)
{
    enum { REST = 15 };
    struct column_list *list = choice->list;
    struct column share;
    for (size_t i = 0; i < list->count; i++) {
        if (!column_init_share(&share, &list->columns[i], choice->metric_set, choice->set))
            continue;
        share.spare = choice->settings->terminal ? REST : 0;
        mem_grow(&list->columns, &list->room, list->count + 1, sizeof(*list->columns));
        memmove(&list->columns[i + 2], &list->columns[i + 1],
                (list->count - i - 1) * sizeof(*list->columns));
        list->columns[++i] = share;
        list->count++;
    }
}

void column_list_choose(struct column_list *list, const struct screen *screen,
                        const struct metric_set *metric_set, const struct event_set *set,
                        const struct view_settings *settings)
{
    static char *bare[] = {"pid", "command"};
    static const struct screen nothing = {.events = "", .columns = {bare, 2, 2}};
    struct choice choice = {list, screen ? screen : &nothing, metric_set, set, settings};
    size_t hardware;
    column_set_clear(list);
    screen = choice.screen;
    /* Without thread ids, the rows of one process would look the same. */
    bool lacks_tid = settings->threads && !screen_has_column(screen, "tid");
    bool cpus = view_of_cpus(settings->kind);
    const char *naming = view_types[settings->kind].naming, *level;
    /* Columns that identify CPUs or their sums, and compare them. */
    for (size_t i = 0; cpus && (level = level_naming(settings->level, i)); i++)
        column_set_add(&choice, level);
    if (cpus)
        add_unasked(&choice, "heat");
    else if (lacks_tid && !screen_has_column(screen, "pid"))
        column_set_add(&choice, "tid");
    column_set_add(&choice, settings->source == SOURCE_LINES ? "line" : "address");
    static const char *const leading[] = {"processes",   "time",      "share", "samples",
                                          "blocked",     "preempted", "taken", "taken_share",
                                          "certain_pct", "taker"};
    for (size_t i = 0; i < sizeof(leading) / sizeof(*leading); i++)
        column_set_add(&choice, leading[i]);
    for (size_t i = 0; i < screen->columns.count; i++) {
        const char *name = screen->columns.items[i];
        bool of_cpu = cpus && settings->level != LEVEL_CPU && str_equal(name, "cpu");
        if (str_equal(name, naming) || of_cpu)
            continue;
        column_set_add(&choice, name);
        if (lacks_tid && str_equal(name, "pid"))
            column_set_add(&choice, "tid");
    }
    for (size_t e = 0; set && e < set->count; e++) {
        const char *event = set->events[e].name;
        bool used = screen_counts(screen, event);
        for (size_t i = 0; i < list->count && !used; i++)
            used = column_uses(&list->columns[i], event);
        if (!used)
            add_unasked(&choice, event);
    }
    if (set && event_set_turns(set, &hardware) > 1)
        add_unasked(&choice, "coverage_pct");
    /* CPUs have their trend only: it is the last column, which takes the rest. */
    size_t most = cpus ? 1 : sizeof(spares) / sizeof(*spares);
    for (size_t i = 0; settings->terminal && screen->builtin && i < most; i++)
        add_spare(&choice, &spares[i]);
    column_set_add(&choice, "object");
    if (naming && (settings->kind != VIEW_TASKS || screen_has_column(screen, naming)))
        column_set_add(&choice, naming);
    tell_apart(&choice);
    if (view_adds_up(settings->kind) && settings->amount == AMOUNT_TOTAL)
        add_shares(&choice);
}

int column_check_screen(const struct screen *screen, const struct metric_set *metric_set,
                        struct err *err)
{
    for (size_t i = 0; i < screen->columns.count; i++) {
        const char *name = screen->columns.items[i];
        struct column_name_scope scope = {.metric_set = metric_set};
        if (!column_is_fact(name) && !metric_set_find(metric_set, name) &&
            !screen_counts(screen, name)) {
            err_set(err,
                    "cannot show screen '%s': its column '%s' is no metric and none of its events",
                    screen->name, name);
            return err_add_nearest(err, str_nearest(name, column_name_at, &scope));
        }
    }
    return 0;
}

/* ---- names ---- */

const char *column_name_at(void *scope, size_t i)
{
    const struct column_name_scope *names = scope;
    const struct builtin_column *builtin = builtin_column_at(i);
    if (builtin)
        return builtin->name;
    i -= builtin_column_count();
    size_t metrics = names->metric_set ? names->metric_set->count : 0;
    if (i < metrics)
        return names->metric_set->metrics[i].name;
    i -= metrics;
    return names->events && i < names->events->count ? names->events->events[i].name : NULL;
}

/* The title of the i-th name; of an event its name. */
static const char *column_title_at(const struct column_name_scope *names, size_t i)
{
    const struct builtin_column *builtin = builtin_column_at(i);
    size_t metric = i - builtin_column_count();
    if (builtin)
        return builtin->title;
    return names->metric_set && metric < names->metric_set->count
               ? names->metric_set->metrics[metric].title
               : column_name_at((void *)names, i);
}

const char *column_name_exact(const struct column_name_scope *names, const char *word)
{
    const char *name;
    for (size_t i = 0; (name = column_name_at((void *)names, i)); i++)
        if (str_equal(name, word))
            return name;
    int event = names->events ? alias_find(names->events, word) : -1;
    return event >= 0 ? names->events->events[event].name : NULL;
}

const char *column_name_find(const struct column_name_scope *names, const char *word)
{
    if (strcasecmp(word, "cpu") == 0 && names->metric_set &&
        metric_set_find(names->metric_set, "cpu_pct"))
        return "cpu_pct";
    if (strcasecmp(word, "processor") == 0)
        return "cpu";
    if (strcasecmp(word, "comm") == 0) /* as in ps(1) and our own formats */
        return "command";
    const char *name = column_name_exact(names, word), *title;
    const struct column_list *columns = names->columns;
    for (size_t i = 0; columns && i < columns->count && !name; i++)
        if (strcasecmp(columns->columns[i].shown.title, word) == 0)
            name = columns->columns[i].shown.name;
    for (size_t i = 0; !name && (title = column_title_at(names, i)); i++)
        if (strcasecmp(title, word) == 0)
            name = column_name_at((void *)names, i);
    for (size_t i = 0; !name && (title = column_name_at((void *)names, i)); i++)
        if (strcasecmp(title, word) == 0)
            name = title;
    const struct metric *metric =
        name || !names->metric_set ? NULL : metric_set_named(names->metric_set, word);
    return metric ? metric->name : name;
}

bool column_name_entry(const struct column_name_scope *scope, size_t i, enum view_kind kind,
                       struct view_candidate *entry)
{
    const char *name = column_name_at((void *)scope, i);
    if (!name)
        return false;
    const struct event_set *set = scope->events;
    const struct builtin_column *builtin = builtin_column_at(i);
    const struct metric *metric =
        scope->metric_set && !builtin ? metric_set_find(scope->metric_set, name) : NULL;
    *entry = (struct view_candidate){
        .name = name,
        .title = column_title_at(scope, i),
        .fits = builtin  ? builtin_column_fits(builtin, kind)
                : metric ? column_fits_metric(metric, kind)
                         : true,
        .shown = scope->columns && column_list_find(scope->columns, name),
    };
    if (builtin) {
        entry->help = builtin->help;
    } else if (metric) {
        entry->help = metric->help;
        entry->expr = metric->text;
        size_t length = 0, size = sizeof(entry->needs);
        for (size_t e = 0; e < expr_event_count(metric->expr) && length < size; e++) {
            const char *event = expr_event(metric->expr, e);
            int at = set ? alias_find(set, event) : -1;
            if (at < 0 || set->events[at].state != EVENT_COUNTED)
                length += (size_t)snprintf(entry->needs + length, size - length, "%s%s",
                                           length ? ", " : "", event);
        }
    } else {
        const struct event_info *event = &set->events[alias_find(set, name)];
        entry->help = event->state == EVENT_COUNTED ? "an event that is counted" : event->reason;
    }
    return true;
}
