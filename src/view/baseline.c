#include "view/baseline.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/socket.h"
#include "base/statistics.h"
#include "base/str.h"
#include "view/detail.h"
#include "view/state.h"
#include "view/view_kind.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct baseline_row {
    uint64_t id;
    uint64_t shown;          /* not 0: the table had it */
    struct summary values[]; /* per second; count 0: not known */
};

struct baseline {
    struct baseline_head {
        uint32_t kind, level, threads, intervals, columns, rows, names_size;
        double time;
    } head;
    char *source; /* what it was read from: then the view does not own it */
    char *names;  /* of the columns, one after another, each with its terminating null */
    char *rows;   /* one after another */
    struct map by_id;
    size_t shown; /* rows that the table had */
};

void baseline_free(struct baseline *baseline)
{
    if (!baseline)
        return;
    map_release(&baseline->by_id);
    free(baseline->rows);
    free(baseline->names);
    free(baseline->source);
    free(baseline);
}

void view_drop_baseline(struct view *view)
{
    if (view->baseline && !view->baseline->source)
        baseline_free(view->baseline);
    view->baseline = NULL;
}

static size_t row_size(const struct baseline_head *head)
{
    return sizeof(struct baseline_row) + head->columns * sizeof(struct summary);
}

static struct baseline_row *row_at(const struct baseline *baseline, size_t i)
{
    return (void *)(baseline->rows + i * row_size(&baseline->head));
}

/* Of the last intervals of a series. */
static struct summary summary_of_last(const struct series *series, size_t intervals)
{
    struct time_series last = {0};
    size_t from = series->count > intervals ? series->count - intervals : 0;
    for (size_t i = from; i < series->count; i++)
        time_series_add(&last, (double)series->values[i]);
    return time_series_summary(&last);
}

/* Adds the row, if it did anything in the intervals of the baseline. */
static void baseline_take_row(struct baseline *baseline, const struct detail *detail, uint64_t id)
{
    struct baseline_head *head = &baseline->head;
    baseline->rows = mem_resize(baseline->rows, head->rows + 1, row_size(head));
    struct baseline_row *row = row_at(baseline, head->rows);
    bool active = false;
    *row = (struct baseline_row){.id = id};
    for (size_t i = 0; i < head->columns; i++) {
        struct series series = {0};
        history_series(detail->history, id, i, &series);
        row->values[i] = summary_of_last(&series, head->intervals);
        active |= row->values[i].count > 0 && row->values[i].mean != 0;
    }
    head->rows += active;
}

/* False: several rows have one id. */
static bool index_rows(struct baseline *baseline)
{
    for (size_t i = 0; i < baseline->head.rows; i++)
        if (map_put(&baseline->by_id, row_at(baseline, i)->id, row_at(baseline, i)))
            return false;
    return true;
}

/* The mean of up to `most` intervals of a view's history; NULL with a message. */
static struct baseline *baseline_new(const struct view *view, size_t most, struct err *err)
{
    const struct view_settings *settings = &view->settings;
    const struct detail *detail = view_detail(view);
    struct intervals intervals;
    struct str names = str_new();
    uint64_t id;
    history_intervals(detail->history, &intervals);
    if (view_of_code(settings->kind) || !view->frame || intervals.count == 0) {
        err_set(err, view_of_code(settings->kind)
                         ? "functions have no baseline: choose another view"
                         : "nothing has been counted yet");
        return NULL;
    }
    for (size_t i = 0; i < detail->all; i++) {
        const char *name = detail->measures[i].shown.name;
        str_add_n(&names, name, strlen(name) + 1);
    }
    struct baseline *baseline = mem_alloc(sizeof(*baseline));
    baseline->head = (struct baseline_head){
        .kind = settings->kind,
        .level = settings->level,
        .threads = settings->threads,
        .intervals = (uint32_t)(intervals.count < most ? intervals.count : most),
        .columns = (uint32_t)detail->all,
        .names_size = (uint32_t)names.length,
        .time = intervals.ends[intervals.count - 1],
    };
    baseline->names = str_detach(&names);
    for (size_t at = 0; history_next(detail->history, &at, &id);)
        baseline_take_row(baseline, detail, id);
    index_rows(baseline);
    return baseline;
}

int view_take_baseline(struct view *view, struct err *err)
{
    struct baseline *baseline = baseline_new(view, BASELINE_INTERVALS, err);
    if (!baseline)
        return -1;
    for (size_t r = 0; r < view->rows.count; r++) {
        struct baseline_row *row = map_get(&baseline->by_id, view->rows.items[r]->id);
        baseline->shown += row && !row->shown;
        if (row)
            row->shown = true;
    }
    view_drop_baseline(view);
    view->baseline = baseline;
    return 0;
}

static bool baseline_is_of(const struct baseline *baseline, const struct view *view)
{
    const struct view_settings *settings = &view->settings;
    const struct baseline_head *head = &baseline->head;
    return head->kind == settings->kind &&
           (head->kind != VIEW_TASKS || head->threads == settings->threads) &&
           (!view_of_cpus(settings->kind) || head->level == settings->level);
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
    *facts = (struct baseline_facts){.time = baseline->head.time,
                                     .intervals = baseline->head.intervals,
                                     .name = baseline->source,
                                     .elsewhere = view_baseline_is_elsewhere(view)};
    for (size_t r = 0; r < view->rows.count; r++) {
        const struct row *row = view->rows.items[r];
        const struct baseline_row *then = map_get(&baseline->by_id, row->id);
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
    const struct metric *metric = column->metric;
    const char *name = baseline->names, *end = name + baseline->head.names_size;
    size_t at = 0;
    if (column->share || column->kind == COLUMN_FACT || row->id == 0 ||
        view_baseline_is_elsewhere(view))
        return;
    for (; name < end && !str_equal(name, column->shown.name); name += strlen(name) + 1)
        at++;
    struct view_context context = view_context_of(view);
    context.settings.amount = AMOUNT_RATE;
    context.settings.exact = false;
    double number;
    if (name == end || !column_number(column, &context, row, &number))
        return;
    const struct baseline_row *then = map_get(&baseline->by_id, row->id);
    cell->marked = false;
    if (!then) {
        strcpy(cell->text, "new");
        cell->role = ROLE_VALUE;
        return;
    }
    const struct summary *value = &then->values[at];
    if (value->count == 0)
        return;
    baseline_write_change(column, &context.settings, number, value->mean, cell);
    bool better = metric && (number > value->mean) == (metric->good > metric->bad);
    cell->role = number >= value->min && number <= value->max ? ROLE_DIM
                 : !metric || !metric->has_good               ? ROLE_COUNTED
                 : better                                     ? ROLE_GOOD
                                                              : ROLE_BAD;
}

/* ---- from process to process: the head, the names, the rows ---- */

enum { BASELINE_COLUMNS_MAX = 4096, BASELINE_NAME_MAX = 256, BASELINE_NONE = INT32_MAX };

void view_send_baseline(const struct view *view, int to)
{
    static const struct baseline_head none = {.kind = BASELINE_NONE};
    struct baseline *baseline = baseline_new(view, HISTORY_LENGTH, NULL);
    const struct baseline_head *head = baseline ? &baseline->head : &none;
    socket_send(to, head, sizeof(*head));
    if (baseline) {
        socket_send(to, baseline->names, head->names_size);
        socket_send(to, baseline->rows, head->rows * row_size(head));
    }
    baseline_free(baseline);
}

/* Receives names and rows, and checks them. */
static bool baseline_receive_rows(struct baseline *baseline, int from)
{
    const struct baseline_head *head = &baseline->head;
    size_t size = head->rows * row_size(head), names = 0;
    baseline->names = mem_alloc(head->names_size);
    baseline->rows = mem_alloc(size);
    if (!socket_receive(from, baseline->names, head->names_size) ||
        !socket_receive(from, baseline->rows, size))
        return false;
    for (size_t i = 0; i < head->names_size; i++)
        names += !baseline->names[i];
    bool ended = !head->names_size || !baseline->names[head->names_size - 1];
    for (size_t i = 0; i < head->rows; i++)
        row_at(baseline, i)->shown = true;
    baseline->shown = head->rows;
    return names == head->columns && ended && index_rows(baseline);
}

struct baseline *baseline_receive(int from, const char *name)
{
    struct baseline_head head;
    if (!socket_receive(from, &head, sizeof(head)) || head.kind >= VIEW_COUNT ||
        head.columns > BASELINE_COLUMNS_MAX || head.rows > HISTORY_ROWS ||
        head.names_size > head.columns * BASELINE_NAME_MAX)
        return NULL;
    struct baseline *baseline = mem_alloc(sizeof(*baseline));
    baseline->head = head;
    baseline->source = mem_strdup(name);
    if (baseline_receive_rows(baseline, from))
        return baseline;
    baseline_free(baseline);
    return NULL;
}
