#include "view/strip.h"
#include "view/detail.h"
#include "view/state.h"
#include "view/view_kind.h"

static bool is_percent(const struct column *column)
{
    return column->metric && column->metric->unit.kind == UNIT_PERCENT;
}

static bool is_cpu_time(const struct column *column)
{
    return is_percent(column) && str_equal(column->metric->name, "cpu_pct");
}

void view_strip_begin(const struct view *view, size_t cells, size_t window, struct strip *strip)
{
    const struct detail *detail = view_detail(view);
    const struct column *column = view_order(view).heat;
    size_t pairs = cells < HISTORY_LENGTH / 2 ? cells : HISTORY_LENGTH / 2;
    size_t count = window ? window : 2 * pairs;
    *strip = (struct strip){.measure = SIZE_MAX,
                            .kernel = SIZE_MAX,
                            .count = count,
                            .cells = window ? cells : pairs,
                            .pairs = !window};
    if (view->frame && count > 0)
        strip->phase = view->frame->seq % count;
    strip->seconds = history_seconds(detail->history, count);
    struct series series;
    if (!column)
        return;
    bool cpus = view_of_cpus(view->settings.kind);
    strip->title = column->shown.title;
    strip->measure = detail_measure(detail, column->shown.name);
    if (strip->measure < SIZE_MAX && !(cpus && is_percent(column)))
        strip->full = history_most(detail->history, strip->measure, count, 0);
    if (is_percent(column) && strip->full < 100)
        strip->full = 100;
    struct row *all = view->rows.groups.rows;
    if (!cpus || view->rows.groups.count < 2 || strip->measure == SIZE_MAX)
        return;
    if (is_cpu_time(column)) {
        strip->sum = strip->full * (double)group_of(&view->rows.groups, all)->cpus;
        strip->kernel = detail_measure(detail, "system_pct");
    } else if (!is_percent(column) &&
               history_recent(detail->history, all->id, strip->measure, &series)) {
        strip->sum = series.most;
    }
}

/* Writes a history, as parts of a full value; the newest at the right. kernel: the per cent of the
 * time in the kernel; NULL: not known. */
static void fill_cells(const struct view *view, const struct strip *strip,
                       const struct series *series, const struct series *kernel, double full,
                       struct strip_cell *cells)
{
    size_t count = strip->count, width = strip->cells;
    for (size_t i = 0; i < width; i++)
        cells[i] = (struct strip_cell){" ", ROLE_DIM, -1, 0};
    /* Edges of intervals are whole cells from a fixed point in time. */
    size_t end = strip->phase * width / count;
    for (size_t i = 0; i < count && i < series->count; i++) {
        double value = (double)series->values[series->count - 1 - i];
        size_t after = strip->phase + count - i; /* its number, from the fixed point on */
        size_t first = (after - 1) * width / count - end, next = after * width / count - end;
        first = first < width ? first : width - 1; /* it shares the newest cell */
        if (isnan(value))
            continue;
        double part = full > 0 ? value / full : 0;
        for (size_t c = first; c < (next > first ? next : first + 1); c++) {
            struct strip_cell *cell = &cells[c];
            if (cell->part >= part)
                continue;
            strcpy(cell->text, heat_mark(part, view_marks_ascii(&view->settings)));
            cell->role = value == 0 ? ROLE_DIM : amount_role(part);
            cell->part = part;
            cell->kernel = kernel ? (double)kernel->values[kernel->count - 1 - i] / 100 : 0;
        }
    }
}

/* 0 to BRAILLE_LEVELS: what is above 0 is seen. */
static int dots_of(double value, double most)
{
    if (!(value > 0) || !(most > 0))
        return 0;
    int dots = (int)lround(value / most * BRAILLE_LEVELS);
    return dots < 1 ? 1 : dots;
}

/* Writes a history with two values in a cell, as high as they are beside the row's largest, or a
 * hundredth of the full value, so that noise stays still; in the shade of that one. Which two
 * depends on the time alone, so that cells move in every second interval only; half of the newest
 * cell is empty in the others. */
static void fill_pairs(const struct view *view, const struct strip *strip,
                       const struct series *series, struct strip_cell *cells)
{
    static const char *const marks[] = {".", ":", "-", "=", "+", "*", "#"};
    enum { MOST = sizeof(marks) / sizeof(*marks) - 1 };
    size_t shown = 2 * strip->cells - strip->phase % 2;
    size_t count = series->count < shown ? series->count : shown;
    float most = (float)(strip->full / 100);
    for (size_t ago = 0; ago < count; ago++) /* NAN is left out */
        if (series->values[series->count - 1 - ago] > most)
            most = series->values[series->count - 1 - ago];
    for (size_t c = 0; c < strip->cells; c++) {
        double pair[2] = {NAN, NAN};
        for (size_t i = 2 * c; i < 2 * c + 2 && i < shown; i++)
            if (shown - i <= count)
                pair[i % 2] = (double)series->values[series->count - (shown - i)];
        double value = fmax(pair[0], pair[1]);
        struct strip_cell *cell = &cells[c];
        *cell = (struct strip_cell){" ", ROLE_DIM, isnan(value) ? -1 : 0, 0};
        if (isnan(value))
            continue;
        if (view_marks_ascii(&view->settings))
            strcpy(cell->text, marks[value > 0 ? (size_t)ceil(value / (double)most * MOST) : 0]);
        else if (value > 0)
            braille_put(cell->text, dots_of(pair[0], (double)most), dots_of(pair[1], (double)most));
        else
            strcpy(cell->text, "·");
        if (value > 0)
            cell->role = amount_role((double)most / strip->full);
    }
}

void view_strip(const struct view *view, const struct strip *strip, size_t row,
                struct strip_cell *cells)
{
    const struct row *shown = view->rows.items[row];
    const struct column *column = view_order(view).heat;
    struct series series = {0}, kernel;
    double full = strip->full;
    bool known = false;
    if (strip->measure < SIZE_MAX &&
        history_recent(view_detail(view)->history, shown->id, strip->measure, &series) &&
        view_of_cpus(view->settings.kind)) {
        if (strip->sum > 0 && shown == view->rows.groups.rows)
            full = strip->sum;
        else if (is_cpu_time(column))
            full *= (double)group_of(&view->rows.groups, shown)->cpus;
        known = strip->kernel < SIZE_MAX &&
                history_recent(view_detail(view)->history, shown->id, strip->kernel, &kernel);
    }
    if (strip->pairs)
        fill_pairs(view, strip, &series, cells);
    else
        fill_cells(view, strip, &series, known ? &kernel : NULL, full, cells);
}

static int by_sum(const void *a, const void *b)
{
    const struct strip_task *x = a, *y = b;
    int order = (x->sum < y->sum) - (x->sum > y->sum);
    return order ? order : (x->row->id > y->row->id) - (x->row->id < y->row->id);
}

size_t view_strip_tasks(const struct view *view, const struct strip *strip, size_t most,
                        struct strip_task *tasks, double *full)
{
    const struct frame *frame = view->frame;
    const struct column *column = view_order(view).heat;
    const struct detail *detail = view->details[DETAIL_TASKS];
    size_t measure = column ? detail_measure(detail, column->shown.name) : SIZE_MAX;
    size_t count = 0;
    struct series series;
    if (!frame || view->turned || measure == SIZE_MAX || strip->count == 0 ||
        detail->events != frame->events)
        return 0;
    AUTO_FREE struct strip_task *all = mem_array(frame->process_count, sizeof(*all));
    for (size_t i = 0; i < frame->process_count; i++) {
        const struct row *row = &frame->processes[i];
        double sum = 0;
        if (!history_recent(detail->history, row->id, measure, &series))
            continue;
        size_t first = series.count > strip->count ? series.count - strip->count : 0;
        for (size_t v = first; v < series.count; v++)
            sum += isnan(series.values[v]) ? 0 : (double)series.values[v];
        if (sum > 0)
            all[count++] = (struct strip_task){row, measure, sum};
    }
    qsort(all, count, sizeof(*all), by_sum);
    count = count < most ? count : most;
    memcpy(tasks, all, count * sizeof(*all));
    *full = strip->full == 100 ? 100 : 0;
    for (size_t i = 0; i < count; i++)
        if (history_recent(detail->history, tasks[i].row->id, measure, &series))
            *full = fmax(*full, series.most);
    return count;
}

void view_strip_task(const struct view *view, const struct strip *strip,
                     const struct strip_task *task, double full, struct strip_cell *cells,
                     struct cell *now)
{
    struct view_context context = view_context_of(view);
    struct series series = {0};
    context.settings.kind = VIEW_TASKS;
    column_cell(view_order(view).heat, &context, task->row, now);
    history_recent(view->details[DETAIL_TASKS]->history, task->row->id, task->measure, &series);
    fill_cells(view, strip, &series, NULL, full, cells);
}

/* Level 1 of top-down analysis: of all slots, or without SMT contention where that is a part. */
static const struct pipeline_part {
    const char *metric, *mark, *ascii;
    double amount;
} parts[] = {
    {"td_retiring_pct", "█", "R", 1},
    {"td_bad_spec_pct", "▓", "S", 0.7},
    {"td_frontend_pct", "▒", "F", 0.4},
    {"td_backend_pct", "░", "B", 0},
};

void view_stack(const struct view *view, size_t row, size_t count, struct strip_cell *cells)
{
    enum { PARTS = sizeof(parts) / sizeof(*parts) };
    double ends[PARTS], sum = 0;
    for (size_t i = 0; i < count; i++)
        cells[i] = (struct strip_cell){" ", ROLE_DIM, 0, 0};
    for (size_t i = 0; i < PARTS; i++) {
        struct value value =
            view_metric_value(view, parts[i].metric, view->frame, view->rows.items[row]);
        if (value.state >= VALUE_UNDEFINED)
            return;
        ends[i] = sum += value.number > 0 ? value.number : 0;
    }
    /* Parts of which each is an estimate can be more than all. */
    double full = sum > 100 ? sum : 100;
    for (size_t i = 0, at = 0; i < PARTS; i++)
        for (; at < count && (double)at + 0.5 < ends[i] / full * (double)count; at++) {
            strcpy(cells[at].text,
                   view_marks_ascii(&view->settings) ? parts[i].ascii : parts[i].mark);
            cells[at].role = amount_role(parts[i].amount);
        }
}
