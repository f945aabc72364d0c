#include "front/tui/pane/gauges.h"
#include "base/cells.h"
#include "base/mem.h"
#include "front/tui/widget/curve.h"
#include "front/tui/widget/layout.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { GAP = 2, BAR_MAX = 60, CURVE_MIN = 8 };

/* --- Bars --- */

/* LABEL[|||||   TEXT]: a label narrower than label_width is padded, a wider one is not cut. */
static void draw_bar(const struct ui *ui, const struct metric *metric, const struct bar *bar,
                     const struct box *box, const char *label, int label_width, const char *text)
{
    struct terminal *term = ui->term;
    enum role role = bars_role(metric, &bar->value);
    int y = box->y, x = box->x, end = x + box->width, used = cells_width(text);
    int skip = label_width - cells_width(label);
    x += skip > 0 ? skip : 0;
    x += term_put(term, y, x, end - x, ROLE_LABEL, label);
    x += term_put(term, y, x, end - x, ROLE_LABEL, "[");
    int inner = end - 1 - x;
    if (inner < used)
        return;
    double share = bars_share(&bar->value, bars_full(metric, ui->meters->seen));
    int filled = (int)lround(share * inner);
    for (int i = 0; i < filled && i < inner - used; i++)
        term_put(term, y, x + i, 1, role, "|");
    term_put(term, y, end - 1 - used, used, ROLE_VALUE, text);
    term_put(term, y, end - 1, 1, ROLE_LABEL, "]");
}

static void draw_machine(const struct ui *ui, int y, int width)
{
    const struct metric *metric = meters_bars_metric(ui, ui->frame);
    size_t cpus;
    double busy = frame_busy(ui->frame, &cpus);
    struct bar bar;
    struct box box = {y, 0, width};
    char text[64];
    bars_machine(ui->frame, metric, &bar);
    bars_text(text, metric, &bar.value);
    if (!metric && busy >= 0)
        snprintf(text, sizeof(text), "%.2f of %zu CPU%s", busy, cpus, cpus == 1 ? "" : "s");
    draw_bar(ui, metric, &bar, &box, metric ? metric->title : "busy", 0, text);
}

/* The CPUs of a bar: "12", "0-15". */
static void write_cpus(const struct bar *bar, char *label, size_t size)
{
    if (bar->first == bar->last)
        snprintf(label, size, "%d", bar->first);
    else
        snprintf(label, size, "%d-%d", bar->first, bar->last);
}

static void draw_cpus(const struct ui *ui, const struct band *band, int width)
{
    const struct frame *frame = ui->frame;
    const struct metric *metric = meters_bars_metric(ui, frame);
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
        struct box box = grid_box(&grid, i);
        char number[BARS_TEXT], text[80];
        box.y += band->y;
        write_cpus(&bars[i], label, sizeof(label));
        bars_text(number, metric, &bars[i].value);
        snprintf(text, sizeof(text), "%s", number);
        int room = box.width - label_width - 2;
        if (metric && cells_width(metric->title) + 1 + cells_width(number) + CURVE_MIN <= room)
            snprintf(text, sizeof(text), "%.32s %s", metric->title, number);
        draw_bar(ui, metric, &bars[i], &box, label, label_width, text);
    }
    free(bars);
}

/* --- The history --- */

/* Widths of the parts of "IPC 0.50 CURVE 0.41..0.62". */
struct history_line {
    const struct metric *metric;
    const char *label; /* NULL: the bar beside it shows the same value */
    int number, curve;
};

/* False if there is no room. */
static bool measure_history(const struct ui *ui, int width, struct history_line *line)
{
    enum { NUMBER = 6, RANGE = 2 * NUMBER + 2 };
    const struct metric *metric = meters_history_metric(ui, ui->recent);
    *line = (struct history_line){.metric = metric, .curve = width - 1 - RANGE};
    if (meters_show_cpus(ui) || metric != meters_bars_metric(ui, ui->frame)) {
        line->label = metric ? metric->title : "busy";
        line->number = metric && metric->width > NUMBER ? metric->width : NUMBER;
        line->curve -= cells_width(line->label) + 1 + line->number + 1;
    }
    return line->curve >= CURVE_MIN;
}

static void draw_history(const struct ui *ui, int y, int x, int end)
{
    const struct meters *meters = ui->meters;
    struct terminal *term = ui->term;
    struct history_line line;
    char text[BARS_TEXT], most_text[BARS_TEXT], range[2 * BARS_TEXT + 2];
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
    /* Busy time is shown in whole per cents. */
    snprintf(range, sizeof(range), "%.0f..%.0f%%", least, most);
    if (line.metric) {
        bars_text(text, line.metric, &(struct value){.number = least});
        bars_text(most_text, line.metric, &(struct value){.number = most});
        snprintf(range, sizeof(range), "%s..%s", text, most_text);
    }
    term_put(term, y, x, end - x, ROLE_DIM, range);
}

/* --- All of them --- */

/* Width of the machine's bar; the history follows it if both fit. */
static int machine_width(const struct ui *ui, int width)
{
    struct history_line line;
    int half = (width - GAP) / 2 < BAR_MAX ? (width - GAP) / 2 : BAR_MAX;
    if (measure_history(ui, width - half - GAP, &line))
        return half;
    return width < BAR_MAX ? width : BAR_MAX;
}

int gauges_lines(const struct ui *ui, int width, int height)
{
    if (!ui->frame || ui->meters->bars == BARS_OFF)
        return 0;
    int wanted = meters_show_cpus(ui) ? grid_lines(ui->frame->cpu_count, width) + 1 : 1;
    int most = height / 3 > 1 ? height / 3 : 1;
    return wanted < most ? wanted : most;
}

bool gauges_show(const struct ui *ui, const struct layout *layout, const struct metric *metric)
{
    int lines = layout->meters.height, width = layout->width;
    bool cpus = meters_show_cpus(ui);
    struct history_line line;
    if (lines == 0)
        return false;
    if (!cpus && metric == meters_bars_metric(ui, ui->frame))
        return true;
    if (ui->frame != ui->recent || (cpus && lines == 1))
        return false; /* a history has no totals */
    int room = cpus ? width : width - machine_width(ui, width) - GAP;
    return measure_history(ui, room, &line) && metric == line.metric;
}

void gauges_draw(const struct ui *ui, const struct band *band, int width)
{
    struct band bars = *band;
    int x = 0;
    if (band->height == 0)
        return;
    if (meters_show_cpus(ui)) {
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
