#include "front/tui/meters.h"
#include "base/cells.h"
#include "base/mem.h"
#include "base/str.h"
#include "front/tui/curve.h"
#include "front/tui/grid.h"
#include "front/tui/ui.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* No metric has this name. */
static const char BUSY[] = "";

enum { GAP = 2, BAR_MOST = 60, CURVE_LEAST = 8 };

void meters_init(struct meters *meters)
{
    *meters = (struct meters){.trend = trend_new(), .now.state = VALUE_UNDEFINED};
}

void meters_release(struct meters *meters)
{
    free(meters->metric);
    trend_free(meters->trend);
    trend_free(meters->rewind);
}

/* --- What they are of --- */

static const struct metric *find_metric(const struct ui *ui, const char *name)
{
    return ui->metric_set && name ? metric_set_find(ui->metric_set, name) : NULL;
}

/* Of the metrics of the columns the next one behind *at; NULL: none is left. How busy a CPU is the
 * bars tell without one. */
static const struct metric *next_metric(const struct ui *ui, size_t *at)
{
    while (*at < view_columns(ui->view)) {
        const struct metric *metric = find_metric(ui, view_column(ui->view, (*at)++)->name);
        if (metric && !str_equal(metric->name, "cpu_pct"))
            return metric;
    }
    return NULL;
}

size_t meters_cpus(const struct ui *ui, const struct frame *frame)
{
    return frame->has_cpus ? frame->cpu_count : ui->session ? ui->session->cpus.count : 0;
}

static bool has_value(const struct frame *frame, const struct metric *metric)
{
    return metric && eval_row(metric->expr, frame, &frame->total).state != VALUE_MISSING;
}

/* The one that was chosen, as long as its events are counted. */
static const struct metric *bars_metric(const struct ui *ui, const struct frame *frame)
{
    const struct metric *chosen = find_metric(ui, ui->meters.metric);
    return has_value(frame, chosen) ? chosen : NULL;
}

static const struct metric *history_metric(const struct ui *ui, const struct frame *frame)
{
    const struct metric *chosen = bars_metric(ui, frame), *ipc = find_metric(ui, "ipc");
    return chosen ? chosen : !ui->meters.metric && has_value(frame, ipc) ? ipc : NULL;
}

/* --- In time --- */

static void meters_take(struct trend *trend, const struct frame *frame, const struct metric *metric)
{
    struct bar bar;
    bars_machine(frame, metric, &bar);
    bool known = bar.value.state < VALUE_UNDEFINED;
    trend_take(trend, metric ? metric->name : BUSY, known ? bar.value.number : NAN);
}

static void choose_series(struct ui *ui, const struct frame *frame)
{
    struct meters *meters = &ui->meters;
    const struct metric *metric = history_metric(ui, frame);
    struct bar bar;
    bars_machine(frame, metric, &bar);
    meters->now = bar.value;
    const struct trend *shown = meters->rewind ? meters->rewind : meters->trend;
    trend_series(shown, metric ? metric->name : BUSY, &meters->series);
}

static void meters_see(struct ui *ui, const struct frame *frame)
{
    struct meters *meters = &ui->meters;
    const struct metric *metric = bars_metric(ui, frame);
    struct bar *bars = mem_array(frame->cpu_count + 1, sizeof(*bars));
    size_t count = 0;
    if (meters->bars == BARS_CPUS)
        count = bars_cpus(frame, metric, 1, bars);
    if (count == 0)
        bars_machine(frame, metric, &bars[count++]);
    for (size_t i = 0; i < count; i++)
        if (bars[i].value.state < VALUE_UNDEFINED && bars[i].value.number > meters->seen)
            meters->seen = bars[i].value.number;
    free(bars);
}

static void meters_learn_trend(struct ui *ui, struct trend *trend, const struct frame *frame,
                               bool held)
{
    const struct metric *metric, *ipc = find_metric(ui, "ipc");
    trend_interval(trend, frame);
    meters_take(trend, frame, NULL);
    if (ipc)
        meters_take(trend, frame, ipc);
    for (size_t at = 0; (metric = next_metric(ui, &at));)
        if (metric != ipc)
            meters_take(trend, frame, metric);
    if (held)
        return;
    choose_series(ui, frame);
    meters_see(ui, frame);
}

void meters_learn(struct ui *ui, const struct frame *frame, bool held)
{
    meters_learn_trend(ui, ui->meters.trend, frame, held || ui->meters.rewind);
}

void meters_turn(struct ui *ui, bool rewind)
{
    trend_free(ui->meters.rewind);
    ui->meters.rewind = rewind ? trend_new() : NULL;
    if (!rewind && ui->recent)
        choose_series(ui, ui->recent);
}

void meters_recall(struct ui *ui, const struct frame *frame, bool held)
{
    meters_learn_trend(ui, ui->meters.rewind, frame, held);
}

/* --- Choices --- */

/* What is on show is of something else now. */
static void meters_change(struct ui *ui)
{
    ui->meters.seen = 0;
    if (!ui->recent)
        return;
    choose_series(ui, ui->recent);
    meters_see(ui, ui->recent);
}

void meters_next_bars(struct ui *ui)
{
    struct meters *meters = &ui->meters;
    meters->bars = meters->bars == BARS_LAST ? BARS_MACHINE : meters->bars + 1;
    if (meters->bars == BARS_CPUS && ui->frame && !ui->frame->has_cpus)
        meters->bars = BARS_OFF; /* as with the engine 'task' */
    meters_change(ui);
}

void meters_next_metric(struct ui *ui)
{
    struct meters *meters = &ui->meters;
    const struct metric *metric = NULL;
    size_t at = 0;
    bool found = !meters->metric;
    while ((metric = next_metric(ui, &at))) {
        if (found && ui->recent && has_value(ui->recent, metric))
            break;
        found |= str_equal(metric->name, meters->metric);
    }
    free(meters->metric);
    meters->metric = metric ? mem_strdup(metric->name) : NULL;
    meters_change(ui);
}

/* --- Bars --- */

struct gauge {
    const char *label;
    int label_width;
    const char *text;
    double share;
    enum role role;
};

/* LABEL[|||||   TEXT] */
static void draw_gauge(struct terminal *term, int y, int x, int width, const struct gauge *gauge)
{
    int end = x + width, text = cells_width(gauge->text);
    int skip = gauge->label_width - cells_width(gauge->label);
    x += skip > 0 ? skip : 0;
    x += term_put(term, y, x, end - x, ROLE_LABEL, gauge->label);
    x += term_put(term, y, x, end - x, ROLE_LABEL, "[");
    int inner = end - 1 - x;
    if (inner < text)
        return;
    int filled = (int)lround(gauge->share * inner);
    for (int i = 0; i < filled && i < inner - text; i++)
        term_put(term, y, x + i, 1, gauge->role, "|");
    term_put(term, y, end - 1 - text, text, ROLE_VALUE, gauge->text);
    term_put(term, y, end - 1, 1, ROLE_LABEL, "]");
}

static void draw_machine(const struct ui *ui, int y, int width)
{
    const struct metric *metric = bars_metric(ui, ui->frame);
    size_t cpus;
    double busy = frame_busy(ui->frame, &cpus);
    struct bar bar;
    bars_machine(ui->frame, metric, &bar);
    char text[64];
    bars_text(text, metric, &bar.value);
    if (!metric && busy >= 0)
        snprintf(text, sizeof(text), "%.2f of %zu CPU%s", busy, cpus, cpus == 1 ? "" : "s");
    struct gauge gauge = {
        .label = metric ? metric->title : "busy",
        .text = text,
        .share = bars_share(&bar.value, bars_full(metric, ui->meters.seen)),
        .role = bars_role(metric, &bar.value),
    };
    draw_gauge(ui->term, y, 0, width, &gauge);
}

/* "12", "0-15" of the CPUs that a bar is of. */
static void write_cpus(const struct bar *bar, char *label, size_t size)
{
    if (bar->first == bar->last)
        snprintf(label, size, "%d", bar->first);
    else
        snprintf(label, size, "%d-%d", bar->first, bar->last);
}

static void draw_cpu(const struct ui *ui, const struct metric *metric, const struct bar *bar,
                     const struct cpu_events *place, int label_width)
{
    char label[32], number[BARS_TEXT], text[80];
    write_cpus(bar, label, sizeof(label));
    bars_text(number, metric, &bar->value);
    snprintf(text, sizeof(text), "%s", number);
    int room = place->width - label_width - 2;
    if (metric && cells_width(metric->title) + 1 + cells_width(number) + CURVE_LEAST <= room)
        snprintf(text, sizeof(text), "%.32s %s", metric->title, number);
    struct gauge gauge = {
        .label = label,
        .label_width = label_width,
        .text = text,
        .share = bars_share(&bar->value, bars_full(metric, ui->meters.seen)),
        .role = bars_role(metric, &bar->value),
    };
    draw_gauge(ui->term, place->y, place->x, place->width, &gauge);
}

static void draw_cpus(const struct ui *ui, const struct band *band, int width)
{
    const struct frame *frame = ui->frame;
    const struct metric *metric = bars_metric(ui, frame);
    struct grid grid;
    grid_make(&grid, frame->cpu_count, width, band->height);
    struct bar *bars = mem_array(frame->cpu_count, sizeof(*bars));
    size_t count = bars_cpus(frame, metric, grid.per, bars);
    int label_width = 0;
    char label[32];
    for (size_t i = 0; i < count; i++) {
        write_cpus(&bars[i], label, sizeof(label));
        int used = cells_width(label);
        label_width = used > label_width ? used : label_width;
    }
    for (size_t i = 0; i < count; i++) {
        struct cpu_events place = grid_place(&grid, i);
        place.y += band->y;
        draw_cpu(ui, metric, &bars[i], &place, label_width);
    }
    free(bars);
}

/* --- The history --- */

/* What was least and most, as one text; busy in whole per cents. */
static void write_range(const struct metric *metric, double least, double most, char *text,
                        size_t size)
{
    struct value low = {.number = least}, high = {.number = most};
    char from[BARS_TEXT], to[BARS_TEXT];
    if (!metric) {
        snprintf(text, size, "%.0f..%.0f%%", least, most);
        return;
    }
    bars_text(from, metric, &low);
    bars_text(to, metric, &high);
    snprintf(text, size, "%s..%s", from, to);
}

static bool shows_cpus(const struct ui *ui)
{
    return ui->meters.bars == BARS_CPUS && ui->frame && ui->frame->has_cpus;
}

/* "IPC 0.50 CURVE 0.41..0.62": cells of its parts. */
struct history_line {
    const struct metric *metric;
    const char *label; /* NULL: the bar beside it is of the same, and tells how much it is now */
    int number, curve;
};

/* False where there is no room. */
static bool measure_history(const struct ui *ui, int width, struct history_line *line)
{
    enum { NUMBER = 6, RANGE = 2 * NUMBER + 2 };
    const struct metric *metric = history_metric(ui, ui->recent);
    *line = (struct history_line){.metric = metric, .curve = width - 1 - RANGE};
    if (shows_cpus(ui) || metric != bars_metric(ui, ui->frame)) {
        line->label = metric ? metric->title : "busy";
        line->number = metric && metric->width > NUMBER ? metric->width : NUMBER;
        line->curve -= cells_width(line->label) + 1 + line->number + 1;
    }
    return line->curve >= CURVE_LEAST;
}

static void draw_history(const struct ui *ui, int y, int x, int end)
{
    const struct meters *meters = &ui->meters;
    struct terminal *term = ui->term;
    struct history_line line;
    char text[BARS_TEXT], range[2 * BARS_TEXT + 2];
    double least, most;
    if (!measure_history(ui, end - x, &line))
        return;
    if (line.label) {
        enum role role = bars_role(line.metric, &meters->now);
        bars_text(text, line.metric, &meters->now);
        x += term_put(term, y, x, end - x, ROLE_LABEL, line.label) + 1;
        term_put(term, y, x, end - x, role == ROLE_BAR ? ROLE_VALUE : role, text);
        x += line.number + 1;
    }
    x += curve_draw(term, y, x, line.curve, &meters->series, line.metric ? 0 : 100) + 1;
    if (!trend_range(&meters->series, curve_room(term, line.curve), &least, &most))
        return;
    write_range(line.metric, least, most, range, sizeof(range));
    term_put(term, y, x, end - x, ROLE_DIM, range);
}

/* --- All of them --- */

/* Cells of the bar of the machine; the history stands behind it where there is room for both. */
static int machine_width(const struct ui *ui, int width)
{
    struct history_line line;
    int half = (width - GAP) / 2 < BAR_MOST ? (width - GAP) / 2 : BAR_MOST;
    if (measure_history(ui, width - half - GAP, &line))
        return half;
    return width < BAR_MOST ? width : BAR_MOST;
}

int meters_lines(const struct ui *ui, int width, int height)
{
    if (!ui->frame || ui->meters.bars == BARS_OFF)
        return 0;
    int wanted = shows_cpus(ui) ? grid_lines(ui->frame->cpu_count, width) + 1 : 1;
    int most = height / 3 > 1 ? height / 3 : 1;
    return wanted < most ? wanted : most;
}

bool meters_tell(const struct ui *ui, const struct layout *layout, const struct metric *metric)
{
    int lines = layout->meters.height, width = layout->width;
    bool cpus = shows_cpus(ui);
    struct history_line line;
    if (lines == 0)
        return false;
    if (!cpus && metric == bars_metric(ui, ui->frame))
        return true;
    if (ui->frame != ui->recent || (cpus && lines == 1))
        return false; /* the history tells of intervals */
    int room = cpus ? width : width - machine_width(ui, width) - GAP;
    return measure_history(ui, room, &line) && metric == line.metric;
}

void meters_draw(const struct ui *ui, const struct band *band, int width)
{
    struct band bars = *band;
    int x = 0;
    if (band->height == 0)
        return;
    if (shows_cpus(ui)) {
        bars.height -= bars.height > 1;
        draw_cpus(ui, &bars, width);
        if (bars.height == band->height)
            return;
    } else {
        x = machine_width(ui, width);
        draw_machine(ui, band->y, x);
        x += GAP;
    }
    draw_history(ui, band->y + band->height - 1, x, width);
}
