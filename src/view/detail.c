#include "view/detail.h"
#include "metric/alias.h"
#include "view/builtin_column.h"
#include "view/state.h"
#include "view/view_kind.h"

struct detail *detail_new(bool recent)
{
    struct detail *detail = mem_alloc(sizeof(*detail));
    detail->history = history_new();
    detail->recent = recent;
    return detail;
}

void detail_forget(struct detail *detail)
{
    history_hold(detail->history, false);
    while (detail->all > 0)
        column_release(&detail->measures[--detail->all]);
    detail->count = 0;
    event_set_keep(&detail->events, NULL);
}

/* Says nothing of those texts any more. */
static void forget_texts(struct detail *detail, enum detail_text first, enum detail_text last)
{
    for (enum detail_text text = first; text <= last; text++)
        mem_replace(&detail->texts[text], NULL);
}

void detail_free(struct detail *detail)
{
    detail_forget(detail);
    forget_texts(detail, 0, DETAIL_TEXTS - 1);
    free(detail->measures);
    free(detail->lines);
    history_free(detail->history);
    free(detail->title);
    wait_facts_free(detail->wait_facts);
    free(detail);
}

/* --- Measures --- */

/* Fills in a row's measures per second, NAN: none, and which of them are estimates. */
static void measure_row(const struct detail *detail, const struct view_context *context,
                        const struct row *row, double *values, bool *scaled)
{
    for (size_t i = 0; i < detail->all; i++) {
        struct value value = column_value(&detail->measures[i], context, row);
        values[i] = value.state < VALUE_UNDEFINED ? value.number : NAN;
        scaled[i] = value.state == VALUE_SCALED;
    }
}

/* Sets title and note of a measure's line, which may have no numbers yet. */
static void name_line(struct detail *detail, size_t i)
{
    struct detail_line *line = &detail->lines[i];
    const struct column *column = &detail->measures[i];
    const struct event_info *event = column->kind == COLUMN_EVENT && column->event >= 0
                                         ? &detail->events->events[column->event]
                                         : NULL;
    /* There is room for the whole name of an event. */
    bool plain = column->kind == COLUMN_EVENT && !column->clock && !column->measured;
    line->title = plain ? column->shown.name : column->shown.title;
    line->event = column->kind == COLUMN_EVENT;
    line->note = column->shown.help;
    line->counted = !event || event->state == EVENT_COUNTED;
    if (event && event->state == EVENT_COUNTED && !event->shared && event->encoding)
        line->note = event->encoding;
}

/* Whether a metric is only an event per second, which has a line of its own. */
static bool is_one_event(const struct column *column, const struct event_set *events)
{
    const struct expr *expr = column->metric ? column->metric->expr : NULL;
    return expr && column->rate && expr_event_count(expr) == 1 &&
           alias_find(events, expr_event(expr, 0)) >= 0;
}

/* Events are measures, too, but all of the set, not only those with columns. */
static bool is_measure(const struct column *column, enum view_kind kind)
{
    if (column->kind == COLUMN_FACT)
        return column_is_measured(column) && builtin_column_fits(column->builtin, kind);
    return column->kind == COLUMN_METRIC;
}

/* The settings and columns that a history depends on, besides the events. */
static uint64_t signature_of(const struct view_settings *settings,
                             const struct column_list *columns)
{
    const struct watch *watch = &settings->watch;
    AUTO_STR struct str text = str_new();
    str_printf(&text, "%d", settings->kind);
    if (settings->kind != VIEW_CPUS)
        str_printf(&text, " %d %zu %zu %zu %zu", settings->threads, watch->pid_count,
                   watch->names.count, watch->tid_count, watch->user_count);
    for (size_t i = 0; i < columns->count; i++)
        if (is_measure(&columns->columns[i], settings->kind))
            str_printf(&text, " %s", columns->columns[i].shown.name);
    return str_hash(text.text);
}

/* Adds measures: with a line all events and other metrics, else metrics that are only an event. */
static void add_measures(struct detail *detail, const struct metric_set *metric_set,
                         const struct column_list *columns, enum view_kind kind, bool lines)
{
    struct event_set *events = detail->events;
    for (size_t e = 0; e < events->count && lines; e++)
        column_init(&detail->measures[detail->all++], events->events[e].name, metric_set, events);
    for (size_t i = 0; i < columns->count; i++) {
        const struct column *column = &columns->columns[i];
        if (is_measure(column, kind) && is_one_event(column, events) != lines)
            column_init(&detail->measures[detail->all++], column->shown.name, metric_set, events);
    }
}

/* The view of the same rows whose histories are kept. */
static enum view_kind detail_kind(const struct view *view)
{
    return view_of_cpus(view->settings.kind) ? VIEW_CPUS : view->settings.kind;
}

static void choose_measures(struct detail *detail, const struct view *view,
                            const struct view_context *context)
{
    const struct view_settings *settings = &context->settings;
    struct event_set *events = context->frame->events;
    uint64_t chosen = 2 * view->changes + settings->threads;
    if (detail->events == events && detail->chosen == chosen)
        return;
    /* Columns of tasks or CPUs, while the view has those of something else. */
    struct column_list aside = {0};
    const struct column_list *columns = &view->columns;
    if (settings->kind != detail_kind(view)) {
        column_list_choose(&aside, view->screen, view->metric_set, events, settings);
        columns = &aside;
    }
    uint64_t signature = signature_of(settings, columns);
    detail->chosen = chosen;
    if (detail->events != events || signature != detail->signature) {
        /* Take the new reference before dropping the old: both may be the same set. */
        events = mem_share(events);
        detail->since = detail->signature ? context->frame->wall - context->frame->interval : 0;
        detail_forget(detail);
        detail->events = events;
        detail->signature = signature;
        size_t most = events->count + columns->count;
        detail->measures = mem_resize(detail->measures, most, sizeof(*detail->measures));
        add_measures(detail, view->metric_set, columns, settings->kind, true);
        detail->count = detail->all;
        add_measures(detail, view->metric_set, columns, settings->kind, false);
        mem_replace(&detail->lines, mem_array(most, sizeof(*detail->lines)));
        for (size_t i = 0; i < detail->count; i++)
            name_line(detail, i);
        /* Histories begin with the values of an idle row, counted throughout. */
        struct row row = row_sum_new(events);
        for (size_t e = 0; e < events->count; e++)
            row.counts[e].coverage = events->events[e].shared ? 0 : 1;
        AUTO_FREE double *values = mem_array(most, sizeof(*values));
        AUTO_FREE bool *scaled = mem_array(most, sizeof(*scaled));
        measure_row(detail, context, &row, values, scaled);
        history_begin(detail->history, detail->all, values);
        free(row.counts);
    }
    column_list_release(&aside);
}

/* --- Lines --- */

/* The context of a measure, or without a column of all: an amount of its own, whatever the screen
 * shows. Only events have all digits: metrics keep the unit of their history. */
static struct view_context context_of(const struct view_context *shown, enum view_amount amount,
                                      const struct column *column)
{
    struct view_context context = *shown;
    context.settings.amount = amount;
    context.settings.exact &= column && column->kind == COLUMN_EVENT;
    return context;
}

static const struct cell NO_NUMBER = {.text = "-", .role = ROLE_MISSING};

static struct cell detail_cell(const struct column *column, const struct view_context *context,
                               double number, bool known)
{
    struct cell cell = NO_NUMBER;
    if (known) {
        column_write(column, &context->settings, number, column->shown.width, cell.text);
        cell.role = number == 0 ? ROLE_DIM : ROLE_COUNTED;
    }
    return cell;
}

static void write_title(struct detail *detail, const struct view *view,
                        const struct view_context *context, const struct row *row)
{
    enum fact_flags undescribed =
        FACT_PARTIAL | FACT_TIME | FACT_BYTES | FACT_DRAWN | FACT_TREND | FACT_STACK;
    const struct column_list *columns = &view->columns;
    const char *naming = view_types[context->settings.kind].naming;
    const struct column *name = naming ? column_list_find(columns, naming) : NULL;
    struct cell cell;
    struct str text = str_new();
    if (name)
        column_cell(name, context, row, &cell);
    str_add(&text, name ? cell.text : "");
    for (size_t i = 0; i < columns->count; i++) {
        const struct column *column = &columns->columns[i];
        if (column->kind != COLUMN_FACT || column->builtin->flags & undescribed || column->spare ||
            column == name)
            continue;
        column_cell(column, context, row, &cell);
        str_printf(&text, "%s%s %s", text.length ? "  " : "", column->shown.title, cell.text);
    }
    mem_replace(&detail->title, str_detach(&text));
}

static void fill_line(struct detail *detail, size_t i, const struct view_context *shown,
                      const struct row *row)
{
    struct detail_line *line = &detail->lines[i];
    struct column *column = &detail->measures[i];
    struct view_context rates = context_of(shown, AMOUNT_RATE, column), *context = &rates;
    column->shown.width = shown->settings.exact ? DETAIL_WIDTH_EXACT : DETAIL_WIDTH;
    struct series *series = &line->series;
    struct value value = {.state = VALUE_MISSING};
    name_line(detail, i);
    if (detail->recent)
        history_recent(detail->history, detail->id, i, series);
    else
        history_series(detail->history, detail->id, i, series);
    line->now = line->run = NO_NUMBER;
    if (row) {
        column_cell(column, context, row, &line->now);
        value = column_value(column, context, row);
    } else if (!detail->ended && series->count > 0) {
        double last = (double)series->values[series->count - 1];
        line->now = detail_cell(column, context, last, !isnan(last));
    }
    if (value.state != VALUE_MISSING) {
        format_id(line->run.text, (int64_t)(value.coverage * 100), DETAIL_WIDTH);
        line->run.role = value.coverage < 1 ? ROLE_SCALED : ROLE_COUNTED;
    }
    if (!*line->total.text)
        line->total = NO_NUMBER;
    line->least = detail_cell(column, context, series->least, series->known);
    line->mean = detail_cell(column, context, series->mean, series->known);
    line->most = detail_cell(column, context, series->most, series->known);
}

/* The shares of the looks, the largest first. */
static char *waits_text(const struct detail_waits *waits)
{
    enum { MOST = 4 };
    struct str text = str_new();
    bool listed[WAIT_LOOKS] = {false};
    for (int n = 0; n < MOST; n++) {
        const char *best = NULL;
        size_t most = 0;
        for (size_t i = 0; i < waits->count; i++) {
            size_t same = 0;
            for (size_t k = i; k < waits->count && !listed[i]; k++)
                same += strcmp(waits->looks[k].text, waits->looks[i].text) == 0;
            if (same > most)
                best = waits->looks[i].text;
            most = same > most ? same : most;
        }
        if (!best)
            break;
        for (size_t k = 0; k < waits->count; k++)
            listed[k] |= strcmp(waits->looks[k].text, best) == 0;
        str_printf(&text, "%s%.0f %% %s", n ? ", " : "", 100 * (double)most / (double)waits->count,
                   best);
    }
    str_printf(&text, " (%zu looks in a minute)", waits->count);
    return str_detach(&text);
}

static void look_at_wait(struct detail *detail, const struct view_context *context,
                         const struct row *row)
{
    static const double SPAN = 60, BETWEEN = 0.9; /* seconds */
    struct detail_waits *waits = &detail->waits;
    struct task_wait wait;
    double now = context->frame->wall;
    bool known = builtin_waits(context, row, false, &wait);
    if (waits->id != detail->id) {
        forget_texts(detail, TEXT_WAITED, TEXT_WAITED);
        *waits = (struct detail_waits){.id = detail->id};
    }
    if ((known && !wait.text) || (!known && !waits->count) ||
        (waits->count && now < waits->looks[waits->count - 1].at + BETWEEN))
        return;
    while (waits->count && (waits->count == WAIT_LOOKS || !(waits->looks[0].at > now - SPAN)))
        memmove(waits->looks, waits->looks + 1, --waits->count * sizeof(*waits->looks));
    /* Who holds a lock changes more often than the lock. */
    struct wait_look *look = &waits->looks[waits->count++];
    const char *text = known ? wait.text : "ran", *held = strstr(text, ", held by ");
    look->at = now;
    snprintf(look->text, sizeof(look->text), "%.*s", held ? (int)(held - text) : 79, text);
    str_clean(look->text, false);
    mem_replace(&detail->texts[TEXT_WAITED], waits_text(waits));
}

/* Where the row's time goes, as numbers and as parts of a bar; NULL: an event is not counted. */
static char *life_text(const struct view *view, const struct view_context *context,
                       const struct row *row)
{
    enum { CELLS = 30, PARTS = 3 };
    static const char *const names[PARTS] = {"run", "wait", "block"};
    static const char *const marks[2][PARTS] = {{"█", "▒", "░"}, {"#", "=", "."}};
    bool ascii = view_marks_ascii(&context->settings);
    AUTO_STR struct str text = str_new();
    for (size_t i = 0; i < PARTS; i++) {
        char name[16];
        snprintf(name, sizeof(name), "%s_pct", names[i]);
        struct value value = view_metric_value(view, name, context->frame, row);
        if (value.state >= VALUE_UNDEFINED)
            return NULL;
        str_printf(&text, "%s%s %.0f %% ", i ? "  " : "", names[i], value.number);
        for (int cell = 0; cell < (int)lround(value.number / 100 * CELLS); cell++)
            str_add(&text, marks[ascii][i]);
    }
    return str_detach(&text);
}

/* A row without counts in the interval was idle, unless it has ended. */
static void fill_lines(struct detail *detail, const struct view *view,
                       const struct view_context *shown, const struct row *row)
{
    AUTO_STR struct str taken = str_new(), takes = str_new();
    detail->listed = row != NULL;
    if (row) {
        detail->ended = row->exited;
        write_title(detail, view, shown, row);
    }
    mem_replace(&detail->texts[TEXT_VERDICT],
                row ? verdict_text(shown, view->metric_set, row) : NULL);
    mem_replace(&detail->texts[TEXT_LIFE], row ? life_text(view, shown, row) : NULL);
    bool tasks = row && shown->settings.kind == VIEW_TASKS && shown->frame->has_cpus &&
                 event_set_waits(shown->frame->events);
    bool waited = row && builtin_taken(shown, row, SIZE_MAX, &taken);
    bool took = tasks && builtin_takes(shown, row, &takes);
    mem_replace(&detail->texts[TEXT_TAKES], took ? mem_strdup(takes.text) : NULL);
    if (tasks && !waited && !took)
        str_add(&taken, "nobody: in this interval it waited for no CPU, and nobody for its");
    mem_replace(&detail->texts[TEXT_TAKEN], taken.length > 0 ? mem_strdup(taken.text) : NULL);
    wait_facts_free(detail->wait_facts);
    detail->wait_facts = NULL;
    wait_facts_add(&detail->wait_facts, row ? row->wait_facts : NULL);
    for (size_t i = 0; i < detail->count; i++)
        fill_line(detail, i, shown, row);
}

bool series_range(const struct series *series, size_t count, double *least, double *most)
{
    bool known = false;
    for (size_t i = series->count > count ? series->count - count : 0; i < series->count; i++) {
        double value = (double)series->values[i];
        if (isnan(value))
            continue;
        *least = known && *least < value ? *least : value;
        *most = known && *most > value ? *most : value;
        known = true;
    }
    return known;
}

/* --- Intervals --- */

/* All rows of a frame of that kind that can be followed, visible or not, and their context. */
static const struct row *rows_in(struct view *view, const struct frame *frame, enum view_kind kind,
                                 struct view_context *context, size_t *count)
{
    struct rows *rows = &view->rows;
    *context = view_context_of(view);
    context->frame = frame;
    context->settings.kind = kind;
    const struct watch *watch = &view->settings.watch;
    bool whole = kind == VIEW_TASKS && !watch->tid_count && !watch->user_count;
    if (rows->tree_shown && view->follows_process && kind == VIEW_TASKS)
        context->settings.threads = false;
    if ((frame != view->frame || kind != detail_kind(view)) && !whole) {
        rows = &view->aside;
        context->groups = &rows->groups;
        context->functions = &rows->functions;
        rows_make(rows, context);
    }
    return rows_of_kind(rows, context, count);
}

/* The row that has an id, also one that stands for ended tasks. */
static const struct row *row_with(const struct view *view, const struct row *rows, size_t count,
                                  uint64_t id)
{
    const struct groups *folds = &view->rows.folds;
    for (size_t i = 0; i < count; i++)
        if (rows[i].id == id)
            return &rows[i];
    for (size_t i = 0; i < folds->count && view->settings.kind == VIEW_TASKS; i++)
        if (folds->rows[i].id == id)
            return &folds->rows[i];
    return NULL;
}

static struct detail *shown_detail(const struct view *view)
{
    enum view_kind kind = detail_kind(view);
    return view->details[view->turned         ? DETAIL_PAST
                         : kind == VIEW_CPUS  ? DETAIL_CPUS
                         : kind == VIEW_TASKS ? DETAIL_TASKS
                                              : DETAIL_SUMS];
}

/* The row that is followed, in a frame, and its context. NULL: it is not in it. */
static const struct row *followed(struct view *view, const struct frame *frame,
                                  struct view_context *shown)
{
    size_t count;
    const struct row *rows = rows_in(view, frame, detail_kind(view), shown, &count);
    return row_with(view, rows, count, shown_detail(view)->id);
}

const struct detail *view_detail(const struct view *view)
{
    return shown_detail(view);
}

size_t detail_measure(const struct detail *detail, const char *name)
{
    const struct column *found = STR_FIND(detail->measures, detail->all, shown.name, name);
    return found ? (size_t)(found - detail->measures) : SIZE_MAX;
}

bool view_series(const struct view *view, const char *name, struct series *series)
{
    const struct detail *detail = shown_detail(view);
    return history_series(detail->history, detail->id, detail_measure(detail, name), series);
}

void view_intervals(const struct view *view, struct intervals *intervals)
{
    history_intervals(shown_detail(view)->history, intervals);
}

static void record(struct view *view, struct detail *detail, const struct frame *frame,
                   enum view_kind kind, bool held)
{
    struct view_context shown;
    size_t count;
    const struct row *rows = rows_in(view, frame, kind, &shown, &count);
    const struct view_context rates = context_of(&shown, AMOUNT_RATE, NULL);
    choose_measures(detail, view, &rates);
    if (kind == VIEW_FUNCTIONS)
        view_record_functions(view, detail == view->details[DETAIL_PAST], frame, shown.functions,
                              held);
    AUTO_FREE double *values = mem_array(detail->all, sizeof(*values));
    AUTO_FREE bool *scaled = mem_array(detail->all, sizeof(*scaled));
    history_interval(detail->history, frame->interval, frame->wall);
    bool folds = view->settings.kind == VIEW_TASKS && kind == VIEW_TASKS && frame == view->frame;
    for (size_t r = 0; r < count + (folds ? view->rows.folds.count : 0); r++) {
        const struct row *row = r < count ? &rows[r] : &view->rows.folds.rows[r - count];
        bool keep = detail->following && row->id == detail->id;
        if (row->ran || (keep && !row->exited)) {
            measure_row(detail, &rates, row, values, scaled);
            history_take(detail->history, row->id, values, scaled, keep);
        }
        if (row->exited && r < count)
            history_end(detail->history, row->id);
    }
    if (detail->following && !held) {
        const struct row *row = row_with(view, rows, count, detail->id);
        fill_lines(detail, view, &shown, row);
        if (row && kind == VIEW_TASKS)
            look_at_wait(detail, &shown, row);
    }
}

void view_record(struct view *view, const struct frame *frame, bool held)
{
    struct view_context context = view_context_of(view);
    enum view_kind kind = detail_kind(view), kinds[] = {VIEW_TASKS, kind, VIEW_CPUS};
    bool sums = kind != VIEW_TASKS && kind != VIEW_CPUS;
    context.frame = frame;
    rows_take(&view->rows, &context);
    for (enum detail_of of = DETAIL_TASKS; of <= DETAIL_CPUS; of++) {
        struct detail *detail = view->details[of];
        history_hold(detail->history, held && !view->turned);
        if (of == DETAIL_TASKS || (of == DETAIL_CPUS ? frame->has_cpus : sums))
            record(view, detail, frame, kinds[of], held || view->turned || kinds[of] != kind);
        else
            detail_forget(detail); /* what comes later does not follow on it */
    }
}

void view_recall(struct view *view, const struct frame *frame, bool held)
{
    struct view_context context = view_context_of(view);
    context.frame = frame;
    rows_take(&view->rows, &context);
    record(view, view->details[DETAIL_PAST], frame, detail_kind(view), held);
}

static void leave_totals(struct detail *detail)
{
    for (size_t i = 0; i < detail->count; i++)
        detail->lines[i].total.text[0] = '\0';
}

void view_turn(struct view *view, bool past)
{
    if (past != view->turned) { /* both histories follow the same row */
        const struct detail *from = shown_detail(view);
        view->turned = past;
        struct detail *to = shown_detail(view);
        to->following = from->following;
        to->id = from->id;
        to->ended = from->ended;
        mem_replace(&to->title, mem_strdup(from->title));
        leave_totals(to);
    }
    if (past) {
        detail_forget(view->details[DETAIL_PAST]);
        view->code[1].intervals = 0;
    }
}

void view_follow(struct view *view, size_t row)
{
    struct detail *detail = shown_detail(view);
    struct view_context shown;
    size_t count;
    view->follows_process = view->rows.tree_shown && !tree_at(&view->rows.tree, row)->thread;
    rows_in(view, view->frame, detail_kind(view), &shown, &count);
    const struct view_context rates = context_of(&shown, AMOUNT_RATE, NULL);
    choose_measures(detail, view, &rates);
    detail->following = true;
    detail->id = view->rows.items[row]->id;
    forget_texts(detail, TEXT_CGROUP, TEXT_AWAITED);
    detail->pid = detail->tid = 0;
    detail->ended = view->rows.items[row]->exited;
    write_title(detail, view, &shown, view->rows.items[row]);
    leave_totals(detail);
}

void view_tell(struct view *view, const struct frame *frame)
{
    struct view_context shown;
    const struct row *row = followed(view, frame, &shown);
    if (shown_detail(view)->events == frame->events)
        fill_lines(shown_detail(view), view, &shown, row);
}

void view_identify(struct view *view, const struct frame *frame)
{
    struct detail *detail = shown_detail(view);
    struct view_context shown;
    enum view_kind kind = view->settings.kind;
    if (kind != VIEW_TASKS && kind != VIEW_CGROUPS)
        return;
    const struct row *row = followed(view, frame, &shown);
    const struct groups *groups = shown.groups;
    const char *path = row && kind == VIEW_CGROUPS ? groups->groups[row - groups->rows].key : NULL;
    if (path)
        identity_read_cgroup(detail, &shown, path, !view->turned);
    else if (row && kind == VIEW_TASKS)
        identity_read(detail, &shown, row, !view->turned);
}

void view_record_total(struct view *view, const struct frame *frame)
{
    struct detail *detail = shown_detail(view);
    struct view_context shown;
    const struct row *row = followed(view, frame, &shown);
    if (!row || detail->events != frame->events)
        return; /* keep the totals of the last call */
    for (size_t i = 0; i < detail->count; i++) {
        const struct column *column = &detail->measures[i];
        const struct view_context totals = context_of(&shown, AMOUNT_TOTAL, column);
        column_cell(column, &totals, row, &detail->lines[i].total);
    }
}
