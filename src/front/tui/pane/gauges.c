#include "front/tui/pane/panes.h"
#include "view/column.h"

enum { GAP = 2, NUMBER = 6, BAR_MIN = 8, TALL = 3, TALL_FROM = 30, RATIOS = 2 };

/* Ranks of what stands beside the bars, the least important first. */
enum {
    RANK_USER,
    RANK_PRESSURE,
    RANK_LOAD,
    RANK_ROWS,
    RANK_RATIO, /* the last one; those before it have higher ones */
    RANK_WATCHED = RANK_RATIO + RATIOS,
    RANK_SELF,
};

/* Own cost from which it is trouble, % of the machine. */
static const double SELF_BAD = 1;

/* --- Bars --- */

struct gauge {
    const struct metric *metric; /* NULL: busy time */
    const struct bar *bar;
    const char *label;
    int label_width; /* a narrower label is padded at the left */
};

/* LABEL ■■■■■▪▪···  58.2%: user and kernel time differ in mark and colour. */
static void draw_meter(const struct ui *ui, const struct gauge *meter, const struct box *box)
{
    static const char *const unicode[] = {"■", "▪", "·"}, *const ascii[] = {"|", "+", "."};
    const char *const *marks = term_ascii(ui->term) ? ascii : unicode;
    struct terminal *term = ui->term;
    const struct bar *bar = meter->bar;
    char text[BARS_TEXT];
    bars_text(text, meter->metric, &bar->value);
    int x = box->x, end = box->x + box->width, used = cells_width(text);
    int skip = meter->label_width - cells_width(meter->label);
    x += skip > 0 ? skip : 0;
    x += term_put(term, box->y, x, end - x, ROLE_LABEL, meter->label) + 1;
    int number = meter->metric && meter->metric->width > NUMBER ? meter->metric->width : NUMBER;
    int inner = end - number - 1 - x;
    if (inner >= BAR_MIN) {
        double share = bars_share(&bar->value, bars_full(meter->metric, meters_of(ui)->seen));
        int filled = (int)lround(share * inner);
        int user = bar->kernel > 0 ? filled - (int)lround(bar->kernel / 100 * inner) : filled;
        for (int i = 0; i < inner; i++) {
            bool system = i >= user;
            enum role shade = amount_role(system ? 0 : (double)i / inner);
            term_put(term, box->y, x + i, 1, i < filled ? shade : ROLE_DIM,
                     marks[i < filled ? system : 2]);
        }
        x += inner + 1;
    } else {
        number = used < end - x ? used : end - x; /* only the number, after its label */
    }
    line_put_right(term, box->y, x, number, bars_role(meter->metric, &bar->value), text);
}

static void draw_cpus(const struct ui *ui, const struct band *band, int width)
{
    const struct frame *frame = ui->frame;
    struct grid grid;
    grid_make(&grid, frame->cpu_count, width, band->height);
    AUTO_FREE struct bar *bars = mem_array(frame->cpu_count, sizeof(*bars));
    struct gauge meter = {.metric = meters_bars_metric(ui, frame)};
    size_t count = bars_cpus(frame, meter.metric, grid.per, bars);
    AUTO_FREE char(*labels)[32] = mem_array(count, sizeof(*labels));
    for (size_t i = 0; i < count; i++) {
        if (bars[i].first == bars[i].last) /* "12", "0-15" */
            snprintf(labels[i], sizeof(labels[i]), "%d", bars[i].first);
        else
            snprintf(labels[i], sizeof(labels[i]), "%d-%d", bars[i].first, bars[i].last);
        int used = cells_width(labels[i]);
        meter.label_width = used > meter.label_width ? used : meter.label_width;
    }
    for (size_t i = 0; i < count; i++) {
        struct box box = grid_box(&grid, i);
        box.y += band->y;
        meter.bar = &bars[i];
        meter.label = labels[i];
        draw_meter(ui, &meter, &box);
    }
}

/* --- Beside the bars --- */

/* 0.3%, 12%: one decimal only below 1; 0% and 100% only for exact values. */
static void write_share(char *text, size_t size, double share)
{
    double number = share * 100;
    if (number > 0 && number < 0.1)
        snprintf(text, size, "<0.1%%");
    else if (number >= 99.5 && number < 100)
        snprintf(text, size, ">99%%");
    else
        snprintf(text, size, "%.*f%%", number > 0 && number < 0.95 ? 1 : 0, number);
}

/* The machine's load, what is watched of it, and countertop's own cost. */
static void add_machine(const struct ui *ui, const struct bar *busy, struct line *line)
{
    const struct frame *frame = ui->frame;
    const struct machine_load *load = &frame->load;
    char text[FORMAT_SIZE];
    if (busy->kernel >= 0)
        line_add_right(line, RANK_USER, "user", "%3.0f%% kernel %3.0f%%",
                       busy->value.number - busy->kernel, busy->kernel);
    double watched = view_watched(ui->view);
    if (watched >= 0)
        line_add_right(line, RANK_WATCHED, "watched", "%5.2f CPUs", watched);
    if (load->has_average) {
        const double *average = load->average;
        int digits[3]; /* five cells each: "1.23", "110.0" */
        for (int i = 0; i < 3; i++)
            digits[i] = average[i] < 99.995 ? 2 : average[i] < 999.95 ? 1 : 0;
        struct piece *piece =
            line_add_right(line, RANK_LOAD, "load", "%5.*f %5.*f %5.*f", digits[0], average[0],
                           digits[1], average[1], digits[2], average[2]);
        snprintf(piece->brief, sizeof(piece->brief), "%5.*f", digits[0], average[0]);
    }
    double waits[PRESSURES];
    for (int p = 0; p < PRESSURES; p++)
        waits[p] = 100 * load_pressure(load, (enum pressure)p, false);
    if (waits[PRESSURE_CPU] >= 0)
        line_add_right(line, RANK_PRESSURE, "pressure", "cpu %3.0f%% io %3.0f%% memory %3.0f%%",
                       waits[PRESSURE_CPU], waits[PRESSURE_IO], waits[PRESSURE_MEMORY]);
    if (frame->totals && ui->session->end) /* includes the start before the run begins */
        format_duration(text, frame->self_cpu, 8);
    else
        write_share(text, sizeof(text), frame_self_share(frame));
    double cpus = frame->load.count > 0 ? (double)frame->load.count : 1;
    bool bad = round(frame_self_share(frame) * 100) > SELF_BAD * cpus; /* as it is written */
    line_add_right(line, RANK_SELF, "self", "%5s", text)->role = bad ? ROLE_BAD : ROLE_VALUE;
}

/* The totals of the screen's main metrics, those with limits for good and bad first, and the number
 * of rows. Totals are of everything that is counted, even if rows are hidden. */
static void add_ratios(const struct ui *ui, struct line *line)
{
    const struct metric *shown = meters_bars_metric(ui, ui->frame);
    const struct view_settings *settings = view_settings(ui->view);
    int left = RATIOS;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; left > 0 && i < view_columns(ui->view); i++) {
            const struct metric *metric =
                metric_set_find(ui->metric_set, view_column(ui->view, i)->name);
            if (!metric || metric == shown || str_equal(metric->name, "cpu_pct") ||
                metric->has_good != (pass == 0))
                continue;
            struct value value = eval_row(metric->expr, ui->frame, &ui->frame->total);
            if (value.state == VALUE_MISSING)
                continue;
            char text[BARS_TEXT];
            if (metric_counts_events(metric))
                value.number = format_whole_rate(value.number, ui->frame->interval);
            bars_text(text, metric, &value);
            line_add_right(line, RANK_RATIO + --left, metric->title, "%*s", NUMBER, text)->role =
                bars_role(metric, &value);
        }
    if (view_of_cpus(settings->kind))
        return;
    size_t rows = view_rows(ui->view), all = rows;
    bool lines = settings->kind == VIEW_INSTRUCTIONS && settings->source != SOURCE_NONE;
    const char *what = lines ? "lines" : view_types[settings->kind].word;
    if (settings->kind == VIEW_TASKS) {
        what = settings->threads ? "threads" : "processes";
        all = settings->threads ? ui->frame->thread_count : ui->frame->process_count;
    }
    if (rows >= all) /* may be more with ended tasks, or with processes above their threads */
        line_add_right(line, RANK_ROWS, what, "%12zu", rows);
    else
        line_add_right(line, RANK_ROWS, what, "%4zu of %-4zu", rows, all);
}

/* --- The history --- */

/* 60 s CURVE max 100%, with the ratios at the right; on several lines with an axis. */
static void draw_history(const struct ui *ui, const struct band *band, int width)
{
    struct meters *meters = meters_of(ui);
    const struct metric *metric = meters_bars_metric(ui, ui->frame);
    struct terminal *term = ui->term;
    struct line ratios = {0};
    char span[FORMAT_SIZE], number[BARS_TEXT], most_text[BARS_TEXT + 8] = "";
    add_ratios(ui, &ratios);
    int label = 6, end = 4 + NUMBER + 1; /* "120 s ", " max 100%" */
    int left = line_put(&ratios, term, band->y, width, width - label - width / 3 - end - GAP);
    struct box at = {band->y, label, left - label - end};
    struct axis axis;
    struct series series, kernel;
    if (at.width < BAR_MIN)
        return;
    curve_axis(term, at.width, 1, 0, &axis);
    size_t back = rewind_series(ui, axis.columns, &series);
    if (back == 0)
        meters_series(ui, metric ? metric->name : NULL, &series);
    size_t window = back > 0 ? series.count : meters->window;
    uint64_t seq = ui->frame ? ui->frame->seq : 0;
    curve_axis(term, at.width, window, seq, &axis);
    meters_span(ui, back > 0 ? ui->moment.count : axis.values, span);
    meters->graph = (struct meters_graph){at, band->height, axis, back > 0 ? series.count : 0};
    term_put(term, band->y + band->height - 1, 0, label, ROLE_LABEL, span);
    double full = metric ? 0 : 100, least, most;
    if (series_range(&series, axis.values, &least, &most)) {
        if (metric)
            bars_text(number, metric, &(struct value){.number = most});
        else
            snprintf(number, sizeof(number), "%.0f%%", most);
        snprintf(most_text, sizeof(most_text), "max %s", number);
        if (band->height > 1) /* the axis */
            term_put(term, band->y, 0, label - 1, ROLE_DIM, metric ? number : "100%");
    }
    bool split = !metric && back == 0 && meters_series(ui, METERS_KERNEL, &kernel);
    struct curve curve = {at, band->height, &series, full, window, seq, split ? &kernel : NULL};
    curve_draw(term, &curve);
    for (int y = 0; back > 0 && y < band->height; y++)
        term_put(term, band->y + y, at.x + axis_cell(&axis, back), 1, ROLE_KEY,
                 term_ascii(term) ? "|" : "│");
    term_put(term, band->y + band->height - 1, at.x + at.width + 1, end - 1, ROLE_DIM, most_text);
}

/* --- All of them --- */

int gauges_lines(const struct ui *ui, int width, int height)
{
    int most = height / 3 > 2 ? height / 3 : 2;
    if (!ui->frame)
        return 0;
    if (meters_of(ui)->bars == BARS_OFF)
        return 1;
    int wanted = 1 + (height >= TALL_FROM ? TALL : 1);
    if (meters_show_cpus(ui))
        wanted += grid_lines(ui->frame->cpu_count, width);
    return wanted < most ? wanted : most;
}

void gauges_press(struct ui *ui)
{
    struct mouse mouse = term_mouse(ui->term);
    const struct meters_graph *graph = &meters_of(ui)->graph;
    int x = mouse.x - graph->at.x, y = mouse.y - graph->at.y;
    if (x < 0 || x >= graph->at.width || y < 0 || y >= graph->lines) {
        meters_next_metric(ui);
        return;
    }
    size_t back = axis_back_at(&graph->axis, x);
    if (graph->all > 0)
        rewind_go_back(ui, back, graph->all);
    else if (back > 1)
        rewind_walk(ui, 1 - (int)back);
}

/* The machine; below it, if there is room, the history, and between them the CPUs. */
void gauges_draw(const struct ui *ui, const struct band *band, int width)
{
    struct line line = {0};
    struct bar busy, bar;
    struct band rest = {band->y + 1, band->height - 1};
    char label[32];
    meters_of(ui)->graph.lines = 0;
    if (band->height == 0)
        return;
    struct gauge meter = {.metric = meters_bars_metric(ui, ui->frame), .bar = &bar};
    bars_machine(ui->frame, NULL, &busy);
    bar = busy;
    if (meter.metric)
        bars_machine(ui->frame, meter.metric, &bar);
    size_t cpus;
    frame_busy(ui->frame, &cpus);
    snprintf(label, sizeof(label), "%zu CPU%s", cpus, cpus == 1 ? "" : "s");
    meter.label = meter.metric ? meter.metric->title : label;
    add_machine(ui, &busy, &line);
    if (rest.height == 0)
        add_ratios(ui, &line);
    int wish = meters_of(ui)->bars == BARS_OFF ? 0 : width / 3 + 1;
    int least = cells_width(meter.label) + 1 + wish;
    struct box box = {band->y, 0,
                      line_put(&line, ui->term, band->y, width, width - least - NUMBER - GAP)};
    if (meters_of(ui)->bars == BARS_OFF && box.width > least + NUMBER)
        box.width = least + NUMBER;
    draw_meter(ui, &meter, &box);
    if (rest.height > 0 && meters_show_cpus(ui)) {
        int lines = rest.height > TALL ? TALL : rest.height > 1 ? 1 : 0;
        int needed = grid_lines(ui->frame->cpu_count, width);
        if (rest.height - lines < needed && lines > 1)
            lines = 1;
        struct band grid = {rest.y, rest.height - lines};
        draw_cpus(ui, &grid, width);
        rest.y += grid.height;
        rest.height = lines;
    }
    if (rest.height > 0)
        draw_history(ui, &rest, width);
}
