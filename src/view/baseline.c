#include "view/baseline.h"
#include "base/socket.h"
#include "model/comparison.h"
#include "view/detail.h"
#include "view/state.h"
#include "view/view_kind.h"

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
    size_t shown;       /* rows that the table had */
    uint64_t after;     /* functions: intervals of view->code that the baseline had */
    size_t looks;       /* functions: how often changes were tested */
    struct map changes; /* functions: struct change since then, by key */
};

void baseline_free(struct baseline *baseline)
{
    if (!baseline)
        return;
    map_release(&baseline->by_id);
    map_free(&baseline->changes);
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

/* Of the last intervals of a series; before it a function took nothing, others are not known. */
static struct summary summary_of_last(const struct series *series, size_t intervals, bool function)
{
    struct time_series last = {0};
    size_t from = series->count > intervals ? series->count - intervals : 0;
    for (size_t i = series->count; i < intervals && function; i++)
        time_series_add(&last, 0);
    for (size_t i = from; i < series->count; i++)
        time_series_add(&last, (double)series->values[i]);
    return time_series_summary(&last);
}

/* Adds the row, if it did anything in the intervals of the baseline. */
static void baseline_take_row(struct baseline *baseline, const struct history *history, uint64_t id)
{
    struct baseline_head *head = &baseline->head;
    baseline->rows = mem_resize(baseline->rows, head->rows + 1, row_size(head));
    struct baseline_row *row = row_at(baseline, head->rows);
    bool active = false;
    *row = (struct baseline_row){.id = id};
    for (size_t i = 0; i < head->columns; i++) {
        struct series series = {0};
        history_series(history, id, i, &series);
        row->values[i] = summary_of_last(&series, head->intervals, head->kind == VIEW_FUNCTIONS);
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
    bool functions = settings->kind == VIEW_FUNCTIONS;
    const struct history *history = functions ? view->code[view->turned].history : detail->history;
    struct intervals intervals;
    struct str names = str_new();
    uint64_t id;
    history_intervals(history, &intervals);
    if (settings->kind == VIEW_INSTRUCTIONS || !view->frame || intervals.count == 0)
        return err_null(err, settings->kind == VIEW_INSTRUCTIONS
                                 ? "instructions have no baseline: choose another view"
                             : functions ? "nothing has been sampled yet"
                                         : "nothing has been counted yet");
    for (size_t i = 0; i < (functions ? 1 : detail->all); i++) {
        const char *name =
            functions ? view->code[view->turned].event : detail->measures[i].shown.name;
        str_add_n(&names, name, strlen(name) + 1);
    }
    struct baseline *baseline = mem_alloc(sizeof(*baseline));
    baseline->head = (struct baseline_head){
        .kind = settings->kind,
        .level = settings->level,
        .threads = settings->threads,
        .intervals = (uint32_t)(intervals.count < most ? intervals.count : most),
        .columns = functions ? 1 : (uint32_t)detail->all,
        .names_size = (uint32_t)names.length,
        .time = intervals.ends[intervals.count - 1],
    };
    baseline->names = str_detach(&names);
    baseline->after = view->code[view->turned].intervals;
    for (size_t at = 0; history_next(history, &at, &id);)
        baseline_take_row(baseline, history, id);
    index_rows(baseline);
    return baseline;
}

/* ---- functions ---- */

/* What a function has in common with that of another build or run (model/functions.h). */
static uint64_t function_key(const struct function *function)
{
    bool named = function->code.state == CODE_NAMED;
    AUTO_FREE char *name = named ? function_match_name(function->code.name) : mem_strdup("");
    AUTO_FREE char *object = function_match_object(function->object.name);
    return str_hash(name) * 31 + str_hash(object);
}

static uint64_t row_key(const struct view *view, const struct row *row)
{
    const struct functions *functions = &view->rows.functions;
    return view->settings.kind == VIEW_FUNCTIONS
               ? function_key(&functions->functions[row - functions->rows])
               : row->id;
}

/* Who watches tests again with each interval, and each test could mark something by chance. Tests
 * 2^n to 2^(n+1)-1 share 1/((n+1)(n+2)) of the rate, which adds up to all of it: they are of almost
 * the same intervals, so that together they mark hardly more than one of them. */
static double rate_of_look(size_t look)
{
    size_t n = 0;
    while (look >= (size_t)2 << n)
        n++;
    return (1 - COMPARISON_CONFIDENCE) / (double)((n + 1) * (n + 2));
}

/* Tests what each function takes since the baseline, as comparison_finish() does. */
static void judge_functions(struct view *view)
{
    static const struct series none;
    struct baseline *baseline = view->baseline;
    const struct code_history *code = &view->code[view->turned];
    uint64_t key, since = code->intervals > baseline->after ? code->intervals - baseline->after : 0;
    struct tested {
        uint64_t key;
        struct summary then, now;
    };
    AUTO_FREE struct tested *all = mem_array(baseline->head.rows + HISTORY_ROWS, sizeof(*all));
    size_t count = 0, tested = 0;
    double sum = 0, alpha = 0.5;
    since = since < HISTORY_LENGTH ? since : HISTORY_LENGTH;
    for (; count < baseline->head.rows; count++)
        all[count] = (struct tested){.key = row_at(baseline, count)->id,
                                     .then = row_at(baseline, count)->values[0]};
    for (size_t at = 0; history_next(code->history, &at, &key);)
        if (!map_get(&baseline->by_id, key))
            all[count++] = (struct tested){
                .key = key, .then = summary_of_last(&none, baseline->head.intervals, true)};
    for (size_t i = 0; i < count; i++) {
        struct series series = {0};
        history_series(code->history, all[i].key, 0, &series);
        all[i].now = summary_of_last(&series, since, true);
        sum += all[i].then.mean + all[i].now.mean;
    }
    map_free(&baseline->changes);
    baseline->looks += since > 0;
    AUTO_FREE double *p = mem_array(count, sizeof(*p));
    for (int pass = 0; pass < 2 && since > 0; pass++) {
        for (size_t i = 0; i < count; i++) {
            struct summary *then = &all[i].then, *now = &all[i].now;
            double both = then->mean + now->mean;
            if (then->count < EXACT_RUNS_MIN || now->count < EXACT_RUNS_MIN)
                then->least_variance = now->least_variance =
                    both / 2 * code->sampled * (sum > both ? 1 - both / sum : 0);
            struct change *change = mem_alloc(sizeof(*change));
            *change = change_between(then, now, false, alpha);
            if (pass == 0 && change->tested)
                p[tested++] = change->p;
            free(map_put(&baseline->changes, all[i].key, change));
        }
        alpha = changes_alpha(p, tested, rate_of_look(baseline->looks));
    }
}

void view_record_functions(struct view *view, bool past, const struct frame *frame,
                           const struct functions *functions, bool held)
{
    static const double none = 0, NANO = 1e-9;
    const struct profile *profile = frame->profile;
    struct code_history *code = &view->code[past];
    if (!profile || functions->all_samples == 0 || functions->pending || frame->interval <= 0)
        return;
    if (code->intervals == 0 || !str_equal(profile->event, code->event)) {
        mem_replace(&code->event, mem_strdup(profile->event));
        code->intervals = 0;
        history_begin(code->history, 1, &none);
    }
    double unit = (str_equal(profile->unit, "ns") ? NANO : 1) / frame->interval, *sum;
    struct map sums = {0};
    for (size_t f = 0; f < functions->count; f++) {
        uint64_t key = function_key(&functions->functions[f]);
        if (!(sum = map_get(&sums, key)))
            map_put(&sums, key, sum = mem_alloc(sizeof(*sum)));
        *sum += (double)functions->functions[f].weight * unit;
    }
    code->intervals++;
    code->sampled = (double)functions->weight * unit / (double)functions->samples;
    history_interval(code->history, frame->interval, frame->wall);
    for (size_t slot = 0; slot < sums.room; slot++)
        if (sums.slots[slot].value)
            history_take(code->history, sums.slots[slot].key, sums.slots[slot].value, NULL, false);
    map_free(&sums);
    if (!held && past == view->turned && view->baseline && !view_baseline_is_elsewhere(view))
        judge_functions(view);
}

int view_take_baseline(struct view *view, struct err *err)
{
    struct baseline *baseline = baseline_new(view, BASELINE_INTERVALS, err);
    if (!baseline)
        return -1;
    for (size_t r = 0; r < view->rows.count; r++) {
        struct baseline_row *row = map_get(&baseline->by_id, row_key(view, view->rows.items[r]));
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
           (!view_of_cpus(settings->kind) || head->level == settings->level) &&
           (head->kind != VIEW_FUNCTIONS || !view->code[view->turned].event ||
            str_equal(baseline->names, view->code[view->turned].event));
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
    if (baseline->head.kind == VIEW_FUNCTIONS)
        judge_functions(view);
    return true;
}

bool view_baseline(const struct view *view, struct baseline_facts *facts)
{
    const struct baseline *baseline = view->baseline;
    AUTO_MAP struct map known = {0}; /* several functions may be one of before */
    if (!baseline)
        return false;
    *facts = (struct baseline_facts){.time = baseline->head.time,
                                     .intervals = baseline->head.intervals,
                                     .name = baseline->source,
                                     .elsewhere = view_baseline_is_elsewhere(view)};
    for (size_t r = 0; r < view->rows.count; r++) {
        const struct row *row = view->rows.items[r];
        struct baseline_row *then = map_get(&baseline->by_id, row_key(view, row));
        if (then && then->shown)
            map_put(&known, row_key(view, row), then);
        facts->fresh += !then && row->id && (row->ran || view_of_code(view->settings.kind));
    }
    facts->gone = baseline->shown - known.count;
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

/* What a function takes since the baseline, "+12%*"; * where that is not by chance. */
static void function_cell(const struct view *view, const struct column *column,
                          const struct row *row, struct cell *cell)
{
    bool samples = str_equal(column->shown.name, "samples");
    const struct change *change =
        samples ? map_get(&view->baseline->changes, row_key(view, row)) : NULL;
    if (!change)
        return;
    strcpy(cell->text, "new");
    if (!isnan(change->ratio))
        baseline_write_change(column, &view->settings, 1 + change->ratio, 1, cell);
    strcat(cell->text, change->significant ? "*" : "");
    cell->role = change->significant ? ROLE_VALUE : ROLE_DIM;
}

void baseline_cell(const struct view *view, const struct column *column, const struct row *row,
                   struct cell *cell)
{
    const struct baseline *baseline = view->baseline;
    const struct metric *metric = column->metric;
    const char *name = baseline->names, *end = name + baseline->head.names_size;
    enum view_kind kind = view->settings.kind;
    size_t at = 0;
    if (row->id == 0 || (kind == VIEW_TASKS && row->pid == 0) || view_baseline_is_elsewhere(view))
        return;
    if (view->settings.kind == VIEW_FUNCTIONS)
        function_cell(view, column, row, cell);
    if (column->share || column->kind == COLUMN_FACT || view->settings.kind == VIEW_FUNCTIONS)
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
    bool sane = true;
    for (size_t i = 0; i < head->rows; i++) {
        const struct summary *value = row_at(baseline, i)->values;
        for (const struct summary *end = value + head->columns; value < end; value++)
            sane &= isfinite(value->mean) && isfinite(value->deviation) && value->deviation >= 0 &&
                    value->independent >= 0 && value->independent <= (double)value->count;
        row_at(baseline, i)->shown = true;
    }
    baseline->shown = head->rows;
    return sane && names == head->columns && ended && index_rows(baseline);
}

struct baseline *baseline_receive(int from, const char *name)
{
    struct baseline_head head;
    if (!socket_receive(from, &head, sizeof(head)) || head.kind >= VIEW_COUNT ||
        head.columns > BASELINE_COLUMNS_MAX || head.rows > HISTORY_ROWS ||
        head.names_size > head.columns * BASELINE_NAME_MAX ||
        (head.kind == VIEW_FUNCTIONS && head.columns != 1))
        return NULL;
    struct baseline *baseline = mem_alloc(sizeof(*baseline));
    baseline->head = head;
    baseline->source = mem_strdup(name);
    if (baseline_receive_rows(baseline, from))
        return baseline;
    baseline_free(baseline);
    return NULL;
}
