#include "view/baseline.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/str.h"
#include "view/detail.h"
#include "view/state.h"
#include "view/view_kind.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A value of a row in the intervals of the baseline. */
struct baseline_value {
    double mean, least, most; /* per second; NAN: not known */
};

struct baseline {
    enum view_kind kind;
    enum view_level level;
    bool threads;
    double time;
    size_t intervals;
    char *name;   /* NULL: not borrowed */
    size_t count; /* of values of a row */
    char **names; /* of their columns */
    struct map rows;
    size_t shown; /* rows of it that the table had */
};

struct baseline_row {
    bool shown;
    struct baseline_value values[];
};

void baseline_free(struct baseline *baseline)
{
    struct baseline_row *row;
    if (!baseline)
        return;
    for (size_t at = 0; (row = map_next(&baseline->rows, &at));)
        free(row);
    map_release(&baseline->rows);
    for (size_t i = 0; i < baseline->count; i++)
        free(baseline->names[i]);
    free(baseline->names);
    free(baseline->name);
    free(baseline);
}

void view_drop_baseline(struct view *view)
{
    baseline_free(view->baseline);
    view->baseline = NULL;
}

static struct baseline_value baseline_value_of(const struct series *series, size_t intervals)
{
    struct baseline_value value = {NAN, NAN, NAN};
    double sum = 0;
    size_t known = 0, from = series->count > intervals ? intervals : series->count;
    for (size_t i = series->count - from; i < series->count; i++) {
        double number = (double)series->values[i];
        if (isnan(number))
            continue;
        value.least = known && value.least < number ? value.least : number;
        value.most = known && value.most > number ? value.most : number;
        sum += number;
        known++;
    }
    if (known > 0)
        value.mean = sum / (double)known;
    return value;
}

/* Whether the row did anything in the intervals of the baseline. */
static bool baseline_was_active(const struct baseline_row *row, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (row->values[i].mean != 0 && !isnan(row->values[i].mean))
            return true;
    return false;
}

static void baseline_take_row(struct baseline *baseline, const struct detail *detail, uint64_t id)
{
    struct baseline_row *row = mem_alloc(sizeof(*row) + baseline->count * sizeof(*row->values));
    struct series series;
    for (size_t i = 0; i < baseline->count; i++) {
        row->values[i] = (struct baseline_value){NAN, NAN, NAN};
        if (history_series(detail->history, id, i, &series))
            row->values[i] = baseline_value_of(&series, baseline->intervals);
    }
    if (baseline_was_active(row, baseline->count))
        free(map_put(&baseline->rows, id, row));
    else
        free(row);
}

/* The mean of up to `most` intervals of a view's history; NULL with a message. */
static struct baseline *baseline_new(const struct view *view, size_t most, struct err *err)
{
    const struct view_settings *settings = &view->settings;
    const struct detail *detail = view_detail(view);
    struct intervals intervals;
    uint64_t id;
    if (view_of_code(settings->kind)) {
        err_set(err, "functions have no baseline: choose another view");
        return NULL;
    }
    history_intervals(detail->history, &intervals);
    if (!view->frame || intervals.count == 0) {
        err_set(err, "nothing has been counted yet");
        return NULL;
    }
    struct baseline *baseline = mem_alloc(sizeof(*baseline));
    *baseline = (struct baseline){.kind = settings->kind,
                                  .level = settings->level,
                                  .threads = settings->threads,
                                  .time = intervals.ends[intervals.count - 1],
                                  .count = detail->all};
    baseline->intervals = intervals.count < most ? intervals.count : most;
    baseline->names = mem_array(detail->all, sizeof(*baseline->names));
    for (size_t i = 0; i < detail->all; i++)
        baseline->names[i] = mem_strdup(detail->measures[i].shown.name);
    for (size_t at = 0; history_next(detail->history, &at, &id);)
        baseline_take_row(baseline, detail, id);
    return baseline;
}

static void baseline_show_row(struct baseline *baseline, struct baseline_row *row)
{
    baseline->shown += !row->shown;
    row->shown = true;
}

int view_take_baseline(struct view *view, struct err *err)
{
    struct baseline *baseline = baseline_new(view, BASELINE_INTERVALS, err);
    if (!baseline)
        return -1;
    for (size_t r = 0; r < view->rows.count; r++) {
        struct baseline_row *row = map_get(&baseline->rows, view->rows.items[r]->id);
        if (row)
            baseline_show_row(baseline, row);
    }
    view_drop_baseline(view);
    view->baseline = baseline;
    return 0;
}

int view_borrow_baseline(struct view *view, const struct view *from, const char *name,
                         struct err *err)
{
    struct baseline *baseline = baseline_new(from, HISTORY_LENGTH, err);
    struct baseline_row *row;
    if (!baseline)
        return -1;
    for (size_t at = 0; (row = map_next(&baseline->rows, &at));)
        baseline_show_row(baseline, row);
    baseline->name = mem_strdup(name);
    view_drop_baseline(view);
    view->baseline = baseline;
    return 0;
}

static bool baseline_is_elsewhere(const struct view *view)
{
    const struct baseline *baseline = view->baseline;
    const struct view_settings *settings = &view->settings;
    return baseline->kind != settings->kind || baseline->threads != settings->threads ||
           (view_of_cpus(settings->kind) && baseline->level != settings->level);
}

bool view_baseline(const struct view *view, struct baseline_facts *facts)
{
    const struct baseline *baseline = view->baseline;
    size_t known = 0;
    if (!baseline)
        return false;
    *facts = (struct baseline_facts){
        .time = baseline->time, .intervals = baseline->intervals, .name = baseline->name};
    facts->elsewhere = baseline_is_elsewhere(view);
    for (size_t r = 0; r < view->rows.count; r++) {
        const struct row *row = view->rows.items[r];
        const struct baseline_row *then = map_get(&baseline->rows, row->id);
        known += then && then->shown;
        facts->fresh += !then && row->ran && row->id;
    }
    facts->gone = baseline->shown - known;
    return true;
}

/* The change as text: of the base, or if that is 0 the number itself. */
static void baseline_write_change(const struct column *column, const struct view_settings *settings,
                                  double number, double base, struct cell *cell)
{
    enum { FACTOR = 10 };
    double ratio = base != 0 ? number / base : NAN;
    int width = column->shown.width - 1;
    if (number == base) {
        strcpy(cell->text, "=");
    } else if (isnan(ratio)) {
        *cell->text = '+';
        column_write(column, settings, number, width, cell->text + 1);
    } else if (ratio >= FACTOR) {
        *cell->text = 'x';
        format_count(cell->text + 1, ratio, width);
    } else {
        double percent = (ratio - 1) * 100;
        snprintf(cell->text, sizeof(cell->text),
                 fabs(percent) < 10 && width > 4 ? "%+.1f%%" : "%+.0f%%", percent);
    }
}

void baseline_cell(const struct view *view, const struct column *column, const struct row *row,
                   struct cell *cell)
{
    const struct baseline *baseline = view->baseline;
    size_t at = 0;
    if (column->share || column->kind == COLUMN_FACT || row->id == 0 || baseline_is_elsewhere(view))
        return;
    while (at < baseline->count && !str_equal(baseline->names[at], column->shown.name))
        at++;
    struct view_settings settings = view->settings;
    struct view_context context = view_context_of(view);
    settings.amount = AMOUNT_RATE;
    settings.exact = false;
    context.settings = &settings;
    double number;
    if (at == baseline->count || !column_number(column, &context, row, &number))
        return;
    const struct baseline_row *then = map_get(&baseline->rows, row->id);
    cell->marked = false;
    if (!then) {
        strcpy(cell->text, "new");
        cell->role = ROLE_VALUE;
        return;
    }
    const struct baseline_value *value = &then->values[at];
    if (isnan(value->mean))
        return;
    baseline_write_change(column, &settings, number, value->mean, cell);
    const struct metric *metric = column->metric;
    if (number >= value->least && number <= value->most)
        cell->role = ROLE_DIM;
    else if (metric && metric->has_good)
        cell->role = (number > value->mean) == (metric->good > metric->bad) ? ROLE_GOOD : ROLE_BAD;
    else
        cell->role = ROLE_COUNTED;
}
