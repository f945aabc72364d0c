#include "front/tui/state/state.h"
#include "view/column.h"

static void meters_end(void *own)
{
    struct meters *meters = own;
    free(meters->metric);
    history_free(meters->present.history);
    history_free(meters->rewind.history);
}

UI_OWN(struct meters, meters_of, .end = meters_end);

/* --- The metrics that are shown --- */

static const struct metric *find_metric(const struct ui *ui, const char *name)
{
    return name ? metric_set_find(ui->metric_set, name) : NULL;
}

/* The next metric column from *at on; NULL after the last. Bars without a metric show cpu_pct. */
static const struct metric *next_metric(const struct ui *ui, size_t *at)
{
    while (*at < view_columns(ui->view)) {
        size_t column = (*at)++;
        const struct metric *metric = find_metric(ui, view_column(ui->view, column)->name);
        if (metric && !str_equal(metric->name, "cpu_pct") && !view_column_spare(ui->view, column))
            return metric;
    }
    return NULL;
}

bool meters_show_cpus(const struct ui *ui)
{
    return meters_of(ui)->bars == BARS_CPUS && ui->frame && ui->frame->has_cpus;
}

static bool has_value(const struct frame *frame, const struct metric *metric)
{
    return metric && eval_row(metric->expr, frame, &frame->total).state != VALUE_MISSING;
}

/* The chosen metric, if its events are counted. */
const struct metric *meters_bars_metric(const struct ui *ui, const struct frame *frame)
{
    const struct metric *chosen = find_metric(ui, meters_of(ui)->metric);
    return has_value(frame, chosen) ? chosen : NULL;
}

/* --- Histories --- */

double meters_value(const struct ui *ui, const struct frame *frame, const char *name, bool *scaled)
{
    struct bar bar;
    bool kernel = name && str_equal(name, METERS_KERNEL);
    if (name && !kernel)
        bar.value = column_total(name, ui->metric_set, frame);
    else
        bars_machine(frame, NULL, &bar);
    *scaled = bar.value.state == VALUE_SCALED;
    if (kernel)
        return bar.kernel < 0 ? (double)NAN : bar.kernel;
    return bar.value.state < VALUE_UNDEFINED ? bar.value.number : (double)NAN;
}

/* A history has a row for each column, and one for busy time (name NULL, as if it were empty). */
static uint64_t meters_row(const char *name)
{
    return str_hash(name ? name : "");
}

static void meters_begin(struct meters_past *past)
{
    static const double unknown = NAN;
    if (!past->history)
        past->history = history_new();
    history_begin(past->history, 1, &unknown);
    past->end = 0;
}

static void meters_add_value(const struct ui *ui, struct history *history,
                             const struct frame *frame, const char *name)
{
    bool scaled;
    double value = meters_value(ui, frame, name, &scaled);
    history_take(history, meters_row(name), &value, &scaled, false);
}

static const struct history *meters_history(const struct ui *ui)
{
    const struct meters *meters = meters_of(ui);
    return meters->rewind.history ? meters->rewind.history : meters->present.history;
}

bool meters_series(const struct ui *ui, const char *name, struct series *series)
{
    return history_series(meters_history(ui), meters_row(name), 0, series);
}

void meters_intervals(const struct ui *ui, struct intervals *intervals)
{
    history_intervals(meters_history(ui), intervals);
}

/* Also what the table does not show now, such as one of functions: no curve has a gap then. */
static void learn_columns(const struct ui *ui, struct history *history, const struct frame *frame)
{
    const struct screen *screen = view_screen(ui->view);
    AUTO_NAMES struct names names = {0};
    for (size_t i = 0; i < view_columns(ui->view); i++)
        names_add(&names, view_column(ui->view, i)->name);
    for (size_t i = 0; screen && i < screen->columns.count; i++)
        names_add(&names, screen->columns.items[i]);
    for (size_t i = 0; i < frame->events->count; i++)
        names_add(&names, frame->events->events[i].name);
    if (find_metric(ui, "ipc"))
        names_add(&names, "ipc");
    for (size_t i = 0; i < names.count; i++)
        if (!column_is_fact(names.items[i]) && names_find(&names, names.items[i]) == i)
            meters_add_value(ui, history, frame, names.items[i]);
}

/* The largest value of the bars since the metric was chosen. */
static void see_bars(struct ui *ui, const struct frame *frame)
{
    struct meters *meters = meters_of(ui);
    const struct metric *metric = meters_bars_metric(ui, frame);
    AUTO_FREE struct bar *bars = mem_array(frame->cpu_count + 1, sizeof(*bars));
    size_t count = meters->bars == BARS_CPUS ? bars_cpus(frame, metric, 1, bars) : 0;
    if (count == 0)
        bars_machine(frame, metric, &bars[count++]);
    for (size_t i = 0; i < count; i++)
        if (bars[i].value.state < VALUE_UNDEFINED && bars[i].value.number > meters->seen)
            meters->seen = bars[i].value.number;
}

void meters_learn(struct ui *ui, const struct frame *frame, bool past, bool held)
{
    struct meters *meters = meters_of(ui);
    struct meters_past *into = past ? &meters->rewind : &meters->present;
    bool rewinds = meters->rewind.history;
    history_hold(into->history, held && !rewinds);
    if (frame->wall <= into->end) /* the clock was set back */
        meters_begin(into);
    into->end = frame->wall;
    history_interval(into->history, frame->interval, frame->wall);
    meters_add_value(ui, into->history, frame, NULL);
    meters_add_value(ui, into->history, frame, METERS_KERNEL);
    learn_columns(ui, into->history, frame);
    if (!held && (past || !rewinds))
        see_bars(ui, frame);
}

void meters_open(struct ui *ui, enum front_bars bars)
{
    struct meters *meters = meters_of(ui);
    *meters = (struct meters){.bars = bars, .window = METERS_WINDOW};
    meters_begin(&meters->present);
}

void meters_turn(struct ui *ui, bool rewind)
{
    struct meters_past *past = &meters_of(ui)->rewind;
    history_free(past->history);
    past->history = NULL;
    if (rewind)
        meters_begin(past);
    if (!rewind && ui->recent)
        see_bars(ui, ui->recent);
}

/* --- Choices --- */

static void show_other(struct ui *ui)
{
    meters_of(ui)->seen = 0;
    if (ui->recent)
        see_bars(ui, ui->recent);
}

void meters_span(const struct ui *ui, size_t intervals, char text[FORMAT_SIZE])
{
    double seconds = (double)intervals * (ui->session->delay > 0 ? ui->session->delay : 1);
    if (seconds < 600)
        snprintf(text, FORMAT_SIZE, seconds < 10 ? "%.1f s" : "%.0f s", seconds);
    else
        snprintf(text, FORMAT_SIZE, "%.0f min", seconds / 60);
}

void meters_zoom(struct ui *ui)
{
    static const size_t windows[] = {METERS_WINDOW, 2 * METERS_WINDOW, HISTORY_LENGTH};
    enum { COUNT = sizeof(windows) / sizeof(*windows) };
    struct meters *meters = meters_of(ui);
    int i = 0;
    while (windows[i] != meters->window)
        i++;
    i += ui->command->how;
    meters->window = windows[i < 0 ? 0 : i < COUNT ? i : COUNT - 1];
}

void meters_next_bars(struct ui *ui)
{
    struct meters *meters = meters_of(ui);
    meters->bars = meters->bars == BARS_LAST ? BARS_MACHINE : meters->bars + 1;
    if (meters->bars == BARS_CPUS && ui->frame && !ui->frame->has_cpus)
        meters->bars = BARS_OFF; /* the engine 'task' counts no CPUs */
    show_other(ui);
}

void meters_next_metric(struct ui *ui)
{
    struct meters *meters = meters_of(ui);
    const struct metric *metric = NULL;
    size_t at = 0;
    bool found = !meters->metric;
    while ((metric = next_metric(ui, &at))) {
        if (found && ui->recent && has_value(ui->recent, metric))
            break;
        found |= str_equal(metric->name, meters->metric);
    }
    mem_replace(&meters->metric, metric ? mem_strdup(metric->name) : NULL);
    show_other(ui);
}
