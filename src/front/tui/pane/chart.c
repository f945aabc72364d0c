#include "front/tui/pane/panes.h"
#include "view/column.h"

/* The gutter has the scale: a number with its unit, and the axis. */
enum { GUTTER = 9, NUMBER = 7, NARROW = 24, TEXT = FORMAT_SIZE + 18 };

enum { CURVES = 4, CURVE_LINES = 3, HEAD_MIN = 6 };

static const char CPU[] = "cpu_pct"; /* of the machine: how busy it is */

struct chart {
    bool machine; /* else the followed row */
    bool has_row; /* a row has been followed since the chart was opened */
    char *names[CURVES];
    size_t count, at; /* the curves, and the one that keys change */
    bool chosen;      /* the user chose them */
    double cursor;    /* end of the interval under the cursor; 0 if there is none */

    /* From the last drawing. */
    int gutter;
    struct axis axis;
    struct intervals intervals;
    bool whole;          /* it covers the table */
    size_t first, shown; /* curves */
    struct band bands[CURVES];
};

static void drop_curve(struct chart *chart, size_t i)
{
    free(chart->names[i]);
    memmove(&chart->names[i], &chart->names[i + 1], (--chart->count - i) * sizeof(chart->names[0]));
    chart->at -= chart->at > 0 && chart->at >= chart->count;
}

static void chart_end(void *own)
{
    struct chart *chart = own;
    while (chart->count > 0)
        drop_curve(chart, chart->count - 1);
}

static UI_OWN(struct chart, chart_of, .end = chart_end);

/* --- What can be drawn --- */

/* The i-th name; NULL after the last: %CPU, then the other columns of the screen. */
static const char *chart_candidate(const struct ui *ui, size_t i)
{
    if (i-- == 0)
        return CPU;
    for (size_t c = 0; c < view_columns(ui->view); c++) {
        const char *name = view_column(ui->view, c)->name;
        if (!column_is_fact(name) && !str_equal(name, CPU) && i-- == 0)
            return name;
    }
    return NULL;
}

/* The index of a name; their number if it is not among them. */
static size_t candidate_index(const struct ui *ui, const char *name)
{
    const char *next;
    size_t i = 0;
    while ((next = chart_candidate(ui, i)) && !str_equal(next, name))
        i++;
    return i;
}

/* Keeps what the user chose as far as it is there, else draws the first ones that are counted. */
static void choose_curves(struct ui *ui)
{
    struct chart *chart = chart_of(ui);
    const char *name;
    for (size_t i = chart->count; i-- > 0;)
        if (!chart->chosen || !chart_candidate(ui, candidate_index(ui, chart->names[i])))
            drop_curve(chart, i);
    chart->chosen = chart->count > 0;
    for (size_t i = 0; !chart->chosen && chart->count < CURVES && (name = chart_candidate(ui, i));
         i++)
        if (i == 0 || column_total(name, ui->metric_set, ui->recent).state != VALUE_MISSING)
            chart->names[chart->count++] = mem_strdup(name);
}

static void take_times(struct ui *ui)
{
    struct chart *chart = chart_of(ui);
    int width = term_width(ui->term);
    chart->gutter = width < NARROW ? 0 : GUTTER;
    curve_axis(ui->term, width - chart->gutter, meters_of(ui)->window,
               ui->frame ? ui->frame->seq : 0, &chart->axis);
    if (chart->machine)
        meters_intervals(ui, &chart->intervals);
    else
        view_intervals(ui->view, &chart->intervals);
}

/* --- Keys --- */

static void follow_row(struct ui *ui)
{
    if (!table_row(&ui->table, ui->view))
        return;
    chart_of(ui)->machine = false;
    chart_of(ui)->has_row = true;
    view_follow(ui->view, ui->table.row);
    frames_retell(ui);
}

static bool chart_open(struct ui *ui)
{
    struct chart *chart = chart_of(ui);
    if (!ui->frame)
        return false;
    chart->machine = true;
    chart->has_row = ui->enlarged = false;
    chart->cursor = 0;
    choose_curves(ui);
    follow_row(ui);
    return true;
}

static void enlarge(struct ui *ui)
{
    if (chart_of(ui)->whole)
        pane_close(ui);
    ui->enlarged = true;
}

static void go_back(struct ui *ui)
{
    if (chart_of(ui)->cursor > 0)
        chart_of(ui)->cursor = 0;
    else
        pane_close(ui);
}

static void switch_source(struct ui *ui)
{
    struct chart *chart = chart_of(ui);
    if (!chart->machine || chart->has_row) {
        chart->machine = !chart->machine;
    } else if (!ui_row_is_away(ui)) {
        table_select(&ui->table, ui->view, ui->table.row);
        follow_row(ui);
    }
}

/* How far back the interval under the cursor is; 0: there is no cursor. */
static size_t cursor_back(const struct chart *chart)
{
    return chart->cursor > 0 ? axis_nearest(&chart->axis, &chart->intervals, chart->cursor) : 0;
}

static void put_cursor(struct ui *ui, size_t back)
{
    struct chart *chart = chart_of(ui);
    size_t shown = axis_shown(&chart->axis, &chart->intervals);
    back = back < shown ? back : shown;
    if (back > 0)
        chart->cursor = chart->intervals.ends[chart->intervals.count - back];
}

/* Left and right are steps of the chart's cursor, up and down of the table's. */
static void chart_step(struct ui *ui, enum step step)
{
    struct chart *chart = chart_of(ui);
    take_times(ui); /* nothing may have been drawn since the last key */
    size_t back = cursor_back(chart);
    if (step == STEP_LEFT) {
        put_cursor(ui, back + 1);
    } else if (step == STEP_RIGHT || step == STEP_END) {
        put_cursor(ui, step == STEP_RIGHT && back > 1 ? back - 1 : 1);
    } else if (step == STEP_HOME) {
        put_cursor(ui, HISTORY_LENGTH);
    } else {
        table_step(&ui->table, ui->view, step);
        follow_row(ui);
    }
}

static void chart_press(struct ui *ui, int line UNUSED, bool twice UNUSED)
{
    struct chart *chart = chart_of(ui);
    int y = term_mouse(ui->term).y, cell = term_mouse(ui->term).x - chart->gutter;
    for (size_t i = 0; i < chart->shown; i++)
        if (y >= chart->bands[i].y && y < chart->bands[i].y + chart->bands[i].height)
            chart->at = chart->first + i;
    if (cell >= 0 && chart->axis.values > 0)
        put_cursor(ui, axis_back_at(&chart->axis, cell));
}

static void step_curve(struct ui *ui)
{
    struct chart *chart = chart_of(ui);
    chart->at = (chart->at + chart->count + (size_t)ui->command->how) % chart->count;
}

/* The next or previous metric that is not drawn yet, in the chosen curve; or in one more. */
static void change_metric(struct ui *ui)
{
    struct chart *chart = chart_of(ui);
    int step = ui->command->how;
    const char *name = NULL;
    size_t all = candidate_index(ui, NULL);
    size_t from = step == 0 ? all - 1 : candidate_index(ui, chart->names[chart->at]);
    for (size_t i = 1; i <= all && !name; i++) {
        name = chart_candidate(ui, (from + (step < 0 ? all - i : i)) % all);
        for (size_t c = 0; c < chart->count && name; c++)
            name = str_equal(name, chart->names[c]) ? NULL : name;
    }
    if (!name || (step == 0 && chart->count == CURVES)) {
        ui_say(ui, ROLE_NOTICE,
               name ? "four curves are all that a chart has"
                    : "all metrics of this screen are drawn");
        return;
    }
    if (step == 0)
        chart->names[chart->at = chart->count++] = NULL; /* it may be what was moved from there */
    mem_replace(&chart->names[chart->at], mem_strdup(name));
    chart->chosen = true;
}

static void remove_curve(struct ui *ui)
{
    if (chart_of(ui)->count <= 1)
        return;
    drop_curve(chart_of(ui), chart_of(ui)->at);
    chart_of(ui)->chosen = true;
}

/* --- Numbers --- */

struct plot {
    struct column column;
    struct series series; /* least, mean and most are of what is visible */
    bool scaled;          /* one of these is an estimate, and so are they */
    char unit[TEXT - FORMAT_SIZE];
    double full;
};

static double value_at(const struct series *series, size_t back)
{
    return back <= series->count ? (double)series->values[series->count - back] : (double)NAN;
}

static bool scaled_at(const struct series *series, size_t back)
{
    return back <= series->count && series->scaled[series->count - back];
}

static void plot_begin(const struct ui *ui, struct plot *plot, const char *name)
{
    const struct chart *chart = chart_of(ui);
    const struct intervals *intervals = &chart->intervals;
    const struct event_set *events = ui->recent->events;
    struct series *series = &plot->series;
    struct column *column = &plot->column;
    double sum = 0, seconds = 0;
    if (!(chart->machine ? meters_series(ui, str_equal(name, CPU) ? NULL : name, series)
                         : view_series(ui->view, name, series)))
        *series = (struct series){0};
    plot->scaled = false;
    series->least = series->most = NAN;
    series_range(series, chart->axis.values, &series->least, &series->most);
    for (size_t back = axis_shown(&chart->axis, intervals); back > 0; back--) {
        double value = value_at(series, back), length = intervals->seconds[intervals->count - back];
        sum += isnan(value) ? 0 : value * length;
        seconds += isnan(value) ? 0 : length;
        plot->scaled |= scaled_at(series, back);
    }
    series->mean = seconds > 0 ? sum / seconds : (double)NAN;
    plot->full = axis_full(series->most);
    if (str_equal(name, CPU) && plot->full < 100)
        plot->full = 100;
    column_init(column, name, ui->metric_set, events);
    const char *unit = column->clock      ? "ms/s"
                       : column->measured ? events->events[column->event].unit
                       : column->metric   ? column->metric->unit.text
                                          : "1/s";
    if (column->metric && column->metric->decimals == METRIC_DURATION)
        unit = ""; /* numbers have it */
    snprintf(plot->unit, sizeof(plot->unit), "%s%.12s%s", *unit && !strchr("%1", *unit) ? " " : "",
             unit + (*unit == '1'), column->measured ? "/s" : "");
}

static void plot_write(const struct plot *plot, double number, bool scaled, char text[TEXT])
{
    static const struct view_settings plain = {0};
    strcpy(text, "-");
    if (isnan(number))
        return;
    column_write(&plot->column, &plain, number, NUMBER, text);
    strcat(text, plot->unit);
    if (scaled)
        strcat(text, "~");
}

/* --- Drawing --- */

static void add_number(struct line *line, int rank, bool right, const char *label,
                       const struct plot *plot, double number, bool scaled)
{
    struct piece *piece = line_add_piece(line, rank, right, label, "%s", "");
    plot_write(plot, number, scaled, piece->text);
    piece->role = bars_role(plot->column.metric, &(struct value){.number = number});
}

/* The name and numbers of a curve. */
static void draw_title(struct ui *ui, const struct plot *plot, size_t i, int y, int width)
{
    const struct chart *chart = chart_of(ui);
    const struct series *series = &plot->series;
    const struct column *column = &plot->column;
    bool machine = chart->machine && str_equal(chart->names[i], CPU);
    const char *title = machine                        ? "busy"
                        : column->kind == COLUMN_EVENT ? column->shown.name
                                                       : column->shown.title;
    const char *mark = chart->count == 1 ? "" : i == chart->at ? ">" : " ";
    enum { MEAN, MIN, MAX, NOW, AT_CURSOR, TITLE }; /* ranks */
    size_t back = cursor_back(chart);
    struct line line = {0};
    line_add(&line, TITLE, "", "%s%s", mark, title)->role = ROLE_KEY;
    if (back > 0)
        add_number(&line, AT_CURSOR, false, "cursor", plot, value_at(series, back),
                   scaled_at(series, back));
    add_number(&line, NOW, false, "now", plot, value_at(series, 1), scaled_at(series, 1));
    add_number(&line, MIN, true, "min", plot, series->least, plot->scaled);
    add_number(&line, MEAN, true, "mean", plot, series->mean, plot->scaled);
    add_number(&line, MAX, true, "max", plot, series->most, plot->scaled);
    line_put(&line, ui->term, y, width, width);
}

/* The scale: numbers belong to the top of their line; of an odd number of lines the middle one to
 * its middle; 0 to the bottom. */
static void draw_scale(struct ui *ui, const struct plot *plot, const struct band *band)
{
    int inner = chart_of(ui)->gutter - 1, lines = band->height;
    static const char *const unicode[] = {"│", "┤"}, *const ascii[] = {"|", "+"};
    const char *const *marks = term_ascii(ui->term) ? ascii : unicode;
    for (int i = 0; i < lines && inner > 0; i++) {
        bool middle = lines > 2 && i == lines / 2, last = lines > 1 && i == lines - 1;
        bool labelled = i == 0 || middle || last;
        char text[TEXT] = "";
        if (last)
            strcpy(text, "0");
        else if (labelled)
            plot_write(plot, i == 0 ? plot->full : plot->full / 2, false, text);
        if ((int)strlen(text) > inner) /* without its unit */
            text[strlen(text) - strlen(plot->unit)] = '\0';
        line_put_right(ui->term, band->y + i, 0, inner, ROLE_DIM, text);
        term_put(ui->term, band->y + i, inner, 1, ROLE_DIM, marks[labelled]);
    }
}

static void draw_plot(struct ui *ui, size_t i, const struct band *band, int width)
{
    const struct chart *chart = chart_of(ui);
    struct band body = {band->y + 1, band->height - 1};
    size_t back = cursor_back(chart);
    struct plot plot;
    plot_begin(ui, &plot, chart->names[i]);
    draw_title(ui, &plot, i, band->y, width);
    draw_scale(ui, &plot, &body);
    struct series kernel;
    bool split = chart->machine && str_equal(chart->names[i], CPU) &&
                 meters_series(ui, METERS_KERNEL, &kernel);
    struct curve curve = {{body.y, chart->gutter, width - chart->gutter},
                          body.height,
                          &plot.series,
                          plot.full,
                          meters_of(ui)->window,
                          ui->frame ? ui->frame->seq : 0,
                          split ? &kernel : NULL};
    curve_draw(ui->term, &curve);
    for (int y = body.y; back > 0 && y < body.y + body.height; y++)
        term_put(ui->term, y, chart->gutter + axis_cell(&chart->axis, back), 1, ROLE_VALUE,
                 term_ascii(ui->term) ? "|" : "│");
    column_release(&plot.column);
}

/* Whose histories these are; at the right the interval under the cursor. */
static void chart_draw_head(struct ui *ui, int y, int width)
{
    const struct chart *chart = chart_of(ui);
    const struct intervals *intervals = &chart->intervals;
    size_t back = cursor_back(chart), cpus;
    enum role role = chart->whole ? ROLE_VALUE : ROLE_HEADING;
    char head[512];
    struct line line = {0};
    frame_busy(ui->recent, &cpus);
    if (chart->machine)
        snprintf(head, sizeof(head), "machine: %zu CPU%s%s", cpus, cpus == 1 ? "" : "s",
                 frame_has_machine(ui->recent) ? "" : "; counts of what is watched");
    else
        details_title(view_detail(ui->view), head, sizeof(head));
    if (chart->shown < chart->count)
        line_add_right(&line, RANK_CURVES, "", "curves %zu-%zu of %zu", chart->first + 1,
                       chart->first + chart->shown, chart->count)
            ->role = role;
    if (chart->whole)
        rewind_mark(ui, &line);
    double since = view_detail(ui->view)->since;
    size_t shown = axis_shown(&chart->axis, intervals);
    if (!chart->machine && shown > 0 && since > intervals->ends[intervals->count - shown]) {
        char clock[CLOCK_TEXT_SIZE];
        clock_text(clock, since);
        line_add_right(&line, RANK_CURVES, "", "since %s, when events or rows were changed", clock)
            ->role = role;
    }
    if (intervals->count == 0)
        line_add_right(&line, RANK_PAST_CLOCK, "", "not kept: , goes back to it")->role = role;
    if (back > 0) {
        char clock[TIME_SPEC_SIZE], ago[FORMAT_SIZE];
        double end = intervals->ends[intervals->count - back];
        time_spec_write(clock, end, end);
        time_spec_ago(ago, intervals->ends[intervals->count - 1] - end);
        line_add_right(&line, RANK_CURSOR, "", "cursor %s -%s", clock, ago)->role = role;
    }
    term_field(ui->term, y, 0, width, role, "");
    width = line_put(&line, ui->term, y, width, width);
    if (width >= HEAD_MIN)
        term_put(ui->term, y, 0, width, role, head);
}

/* The time axis: the clock at its end, and seconds before that. */
static void draw_times(struct ui *ui, int y, int width)
{
    enum { APART = 12 };
    const struct chart *chart = chart_of(ui);
    const struct intervals *intervals = &chart->intervals;
    struct tick ticks[AXIS_TICKS];
    char clock[TIME_SPEC_SIZE];
    if (intervals->count == 0)
        return;
    double newest = intervals->ends[intervals->count - 1];
    time_spec_write(clock, newest, newest);
    int limit = width - (int)strlen(clock);
    term_put(ui->term, y, limit, width - limit, ROLE_LABEL, clock);
    size_t count = axis_ticks(&chart->axis, intervals, APART, ticks);
    for (size_t i = 0; i < count; i++) {
        char ago[FORMAT_SIZE], text[FORMAT_SIZE + 8];
        time_spec_ago(ago, ticks[i].ago);
        snprintf(text, sizeof(text), "%s-%s", term_ascii(ui->term) ? "'" : "╵", ago);
        int x = chart->gutter + ticks[i].cell;
        if (x + 2 + (int)strlen(ago) < limit)
            term_put(ui->term, y, x, limit - x, ROLE_LABEL, text);
        limit = x < limit ? x : limit;
    }
}

static void chart_draw(struct ui *ui, const struct band *band, int width)
{
    struct chart *chart = chart_of(ui);
    int head = band->height > CURVE_LINES + 1, times = band->height > CURVE_LINES;
    int room = band->height - head - times, y = band->y + head;
    size_t fits = room < CURVE_LINES ? 0 : (size_t)(room / CURVE_LINES);
    chart->whole = band->y == 0;
    chart->shown = chart->count < fits ? chart->count : fits;
    chart->first = chart->at < chart->shown ? 0 : chart->at + 1 - chart->shown;
    if (chart->shown == 0) {
        term_put(ui->term, band->y, 0, width, ROLE_NOTICE, "too low for a chart");
        return;
    }
    take_times(ui);
    if (head)
        chart_draw_head(ui, band->y, width);
    for (size_t i = 0; i < chart->shown; i++) {
        int lines = room / (int)chart->shown + ((int)i < room % (int)chart->shown);
        chart->bands[i] = (struct band){y, lines};
        draw_plot(ui, chart->first + i, &chart->bands[i], width);
        y += lines;
    }
    if (times)
        draw_times(ui, y, width);
}

/* --- The pane --- */

static const char *chart_label(const struct ui *ui, const struct key_command *command)
{
    const struct chart *chart = chart_of(ui);
    if (str_equal(command->name, "chart"))
        return chart->whole ? "close" : command->label;
    if (str_equal(command->name, "back"))
        return chart->cursor > 0 ? "no cursor" : command->label;
    if (str_equal(command->name, "machine"))
        return chart->machine ? "row" : command->label;
    return rewind_label(ui, command);
}

static const struct key_command chart_commands[] = {
    {"chart", "F8 p", "enlarge", 97, .run = enlarge},
    {"back", "Esc q", "close", 90, .run = go_back},
    {"left", "Left h", "cursor", 75, .run = pane_move, .how = STEP_LEFT},
    {"right", "Right l", NULL, 0, .run = pane_move, .how = STEP_RIGHT},
    {"home", "Home g", NULL, 0, .run = pane_move, .how = STEP_HOME},
    {"end", "End G", NULL, 0, .run = pane_move, .how = STEP_END},
    {"machine", "m", "machine", 70, .run = switch_source},
    {"up", "Up k", NULL, 0, .run = pane_move, .how = STEP_UP},
    {"down", "Down j", "row", 68, .run = pane_move, .how = STEP_DOWN},
    {"page-up", "PgUp", NULL, 0, .run = pane_move, .how = STEP_PAGE_UP},
    {"page-down", "PgDn Space", NULL, 0, .run = pane_move, .how = STEP_PAGE_DOWN},
    {"next-curve", "Tab", "curve", 61, .run = step_curve, .how = 1},
    {"previous-curve", "Shift-Tab", NULL, 0, .run = step_curve, .how = -1},
    {"next-metric", ">", "metric", 62, .run = change_metric, .how = 1},
    {"previous-metric", "<", NULL, 0, .run = change_metric, .how = -1},
    {"add-curve", "e", "add", 60, .run = change_metric},
    {"remove-curve", "x", NULL, 0, .run = remove_curve},
    {"zoom-in", "+", "zoom", 63, .run = meters_zoom, .how = -1},
    {"zoom-out", "-", NULL, 0, .run = meters_zoom, .how = 1},
    {0},
};

const struct pane pane_chart = {
    .name = "chart",
    .title = "In the chart",
    .commands = chart_commands,
    .cover = COVER_LOWER,
    .need = NEED_HISTORY,
    .open = chart_open,
    .moved = follow_row,
    .draw = chart_draw,
    .step = chart_step,
    .press = chart_press,
    .label = chart_label,
};
