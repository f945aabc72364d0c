#include "view/baseline.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/socket.h"
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
    char *name;   /* of what it was read from: then the view does not own it */
    size_t count; /* of values of a row */
    char **names; /* of their columns */
    struct map rows;
    size_t shown; /* rows of it that the table had */
};

struct baseline_row {
    uint64_t id;
    bool shown;
    struct baseline_value values[];
};

void baseline_free(struct baseline *baseline)
{
    if (!baseline)
        return;
    map_free(&baseline->rows);
    for (size_t i = 0; i < baseline->count; i++)
        free(baseline->names[i]);
    free(baseline->names);
    free(baseline->name);
    free(baseline);
}

void view_drop_baseline(struct view *view)
{
    if (view->baseline && !view->baseline->name)
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
    *row = (struct baseline_row){.id = id};
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

static bool baseline_is_of(const struct baseline *baseline, const struct view *view)
{
    const struct view_settings *settings = &view->settings;
    return baseline->kind == settings->kind &&
           (settings->kind != VIEW_TASKS || baseline->threads == settings->threads) &&
           (!view_of_cpus(settings->kind) || baseline->level == settings->level);
}

bool view_baseline_is_elsewhere(const struct view *view)
{
    return view->baseline && !baseline_is_of(view->baseline, view);
}

bool view_lend_baseline(struct view *view, struct baseline *baseline)
{
    if (!baseline_is_of(baseline, view))
        return false;
    view_drop_baseline(view);
    view->baseline = baseline;
    return true;
}

bool view_baseline(const struct view *view, struct baseline_facts *facts)
{
    const struct baseline *baseline = view->baseline;
    size_t known = 0;
    if (!baseline)
        return false;
    *facts = (struct baseline_facts){
        .time = baseline->time, .intervals = baseline->intervals, .name = baseline->name};
    facts->elsewhere = view_baseline_is_elsewhere(view);
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
    if (column->share || column->kind == COLUMN_FACT || row->id == 0 ||
        view_baseline_is_elsewhere(view))
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

/* ---- from process to process ---- */

enum { BASELINE_COLUMNS_MAX = 4096, BASELINE_NAME_MAX = 256, BASELINE_NONE = INT32_MAX };

/* Then its names, each with its length before it, and its rows: id and values. */
struct baseline_head {
    uint32_t kind, level, threads, intervals, columns, rows;
    double time;
};

void view_send_baseline(const struct view *view, int to)
{
    struct baseline_head head = {.kind = BASELINE_NONE};
    struct baseline *baseline = baseline_new(view, HISTORY_LENGTH, NULL);
    const struct baseline_row *row;
    if (!baseline) {
        socket_send(to, &head, sizeof(head));
        return;
    }
    head = (struct baseline_head){.kind = baseline->kind,
                                  .level = baseline->level,
                                  .threads = baseline->threads,
                                  .intervals = (uint32_t)baseline->intervals,
                                  .columns = (uint32_t)baseline->count,
                                  .rows = (uint32_t)baseline->rows.count,
                                  .time = baseline->time};
    socket_send(to, &head, sizeof(head));
    for (size_t c = 0; c < baseline->count; c++) {
        uint32_t length = (uint32_t)strlen(baseline->names[c]);
        socket_send(to, &length, sizeof(length));
        socket_send(to, baseline->names[c], length);
    }
    for (size_t at = 0; (row = map_next(&baseline->rows, &at));) {
        socket_send(to, &row->id, sizeof(row->id));
        socket_send(to, row->values, baseline->count * sizeof(*row->values));
    }
    baseline_free(baseline);
}

static bool baseline_receive_name(struct baseline *baseline, int from)
{
    uint32_t length;
    if (!socket_receive(from, &length, sizeof(length)) || length > BASELINE_NAME_MAX)
        return false;
    char *name = baseline->names[baseline->count++] = mem_alloc(length + 1);
    bool good = socket_receive(from, name, length);
    name[good ? length : 0] = '\0';
    return good;
}

static bool baseline_receive_row(struct baseline *baseline, int from)
{
    uint64_t id;
    size_t size = baseline->count * sizeof(struct baseline_value);
    if (!socket_receive(from, &id, sizeof(id)) || map_get(&baseline->rows, id))
        return false;
    struct baseline_row *row = mem_alloc(sizeof(*row) + size);
    *row = (struct baseline_row){.id = id};
    map_put(&baseline->rows, id, row);
    baseline_show_row(baseline, row);
    return socket_receive(from, row->values, size);
}

struct baseline *baseline_receive(int from, const char *name)
{
    struct baseline_head head;
    if (!socket_receive(from, &head, sizeof(head)) || head.kind >= VIEW_COUNT ||
        head.columns > BASELINE_COLUMNS_MAX || head.rows > HISTORY_ROWS)
        return NULL;
    struct baseline *baseline = mem_alloc(sizeof(*baseline));
    *baseline = (struct baseline){.kind = head.kind,
                                  .level = head.level,
                                  .threads = head.threads,
                                  .time = head.time,
                                  .intervals = head.intervals,
                                  .name = mem_strdup(name)};
    baseline->names = mem_array(head.columns, sizeof(*baseline->names));
    bool good = true;
    while (good && baseline->count < head.columns)
        good = baseline_receive_name(baseline, from);
    for (uint32_t r = 0; good && r < head.rows; r++)
        good = baseline_receive_row(baseline, from);
    if (good)
        return baseline;
    baseline_free(baseline);
    return NULL;
}
