#include "front/tui/widget/curve.h"

void axis_make(struct axis *axis, int cells, size_t per, size_t window)
{
    size_t columns = cells > 0 ? (size_t)cells * per : 0, each = columns / window;
    *axis = (struct axis){columns, per, columns > 0 ? window : 0, .skip = 0};
    if (each > per)
        each -= each % per;
    if (each == 0)
        return;
    axis->values = columns / each;
    if (axis->values > HISTORY_LENGTH)
        axis->values = HISTORY_LENGTH;
    else
        axis->columns = axis->values * each;
    axis->skip = (int)((columns - axis->columns) / per);
}

/* The oldest value in a column; the newest is one after the oldest of the next column. */
static size_t oldest_in(const struct axis *axis, size_t column)
{
    size_t back = axis->values - column * axis->values / axis->columns;
    return back > axis->odd ? back - axis->odd : 0;
}

size_t axis_back(const struct axis *axis, size_t column)
{
    size_t next = oldest_in(axis, column + 1);
    return next < oldest_in(axis, column) ? next + 1 : next;
}

size_t axis_back_at(const struct axis *axis, int cell)
{
    cell = cell > axis->skip ? cell - axis->skip : 0;
    size_t column = (size_t)cell * axis->per + axis->per - 1;
    size_t back = axis_back(axis, column < axis->columns ? column : axis->columns - 1);
    return back > 0 ? back : 1;
}

/* The first column of the value that is so far from the oldest, 0 for that. */
static size_t first_column(const struct axis *axis, size_t value)
{
    return (value * axis->columns + axis->values - 1) / axis->values;
}

int axis_cell(const struct axis *axis, size_t back)
{
    size_t value = axis->values > back + axis->odd ? axis->values - back - axis->odd : 0;
    size_t first = first_column(axis, value), next = first_column(axis, value + 1);
    if (axis->values > axis->columns) /* several are in a column */
        return axis->skip + (int)(((value + 1) * axis->columns - 1) / axis->values / axis->per);
    return axis->skip + (int)((first + next - 1) / 2 / axis->per);
}

size_t axis_shown(const struct axis *axis, const struct intervals *intervals)
{
    return intervals->count < axis->values ? intervals->count : axis->values;
}

size_t axis_nearest(const struct axis *axis, const struct intervals *intervals, double time)
{
    const double *end = intervals->ends + intervals->count;
    size_t shown = axis_shown(axis, intervals), best = shown > 0;
    for (size_t back = 2; back <= shown; back++)
        if (fabs(*(end - back) - time) < fabs(*(end - best) - time))
            best = back;
    return best;
}

size_t axis_ticks(const struct axis *axis, const struct intervals *intervals, int apart,
                  struct tick ticks[AXIS_TICKS])
{
    static const double steps[] = {0.1,  0.2,   0.5,   1,     2,     5,     10,   20,
                                   30,   60,    120,   300,   600,   1200,  1800, 3600,
                                   7200, 10800, 21600, 43200, 86400, 172800};
    size_t all = intervals->count, count = 0, i = 0;
    size_t shown = axis_shown(axis, intervals);
    double covered = 0, before = 0;
    for (size_t back = 1; back <= shown; back++)
        covered += intervals->seconds[all - back];
    double cells = (double)(shown * axis->columns) / (double)(axis->values * axis->per);
    while (i + 1 < sizeof(steps) / sizeof(*steps) && steps[i] * cells < covered * apart)
        i++;
    for (size_t back = 1; back <= shown && count < AXIS_TICKS; back++) {
        double ago = intervals->ends[all - 1] - intervals->ends[all - back];
        double round_ago = round(ago / steps[i]) * steps[i], off = fabs(round_ago - ago);
        if (round_ago <= 0 || off > 0.75 * intervals->seconds[all - back])
            continue;
        bool same = count > 0 && ticks[count - 1].ago == round_ago;
        if (!same || off < before)
            ticks[same ? count - 1 : count++] = (struct tick){axis_cell(axis, back), round_ago};
        before = off;
    }
    return count;
}

double axis_full(double most)
{
    if (!(most > 0) || isinf(most))
        return 1;
    double power = pow(10, floor(log10(most)));
    static const double firsts[] = {1, 2, 5, 10};
    size_t i = 0;
    while (i < 3 && firsts[i] * power < most * (1 - 1e-9))
        i++;
    return firsts[i] * power;
}

/* ---- curves ---- */

enum { ASCII_LEVELS = 6 };

/* 1 to `levels` for a value from 0 to most; 0 if there is no value. */
static int level_of(float value, double most, int levels)
{
    if (isnan(value))
        return 0;
    if (!(most > 0) || !(value > 0))
        return 1;
    int level = 1 + (int)lround((double)value / most * (levels - 1));
    return level < 2 ? 2 : level > levels ? levels : level; /* a value above 0 must be visible */
}

void curve_axis(const struct terminal *term, int width, size_t window, uint64_t seq,
                struct axis *axis)
{
    axis_make(axis, width, term_ascii(term) ? 1 : 2, window);
    axis->odd = axis->per > 1 && axis->values == axis->columns && seq % 2;
}

/* The largest value in a column; NAN: none is known. */
static float value_in(const struct axis *axis, const struct series *series, size_t column)
{
    float most = NAN;
    for (size_t back = axis_back(axis, column); back <= oldest_in(axis, column); back++)
        if (back > 0 && back <= series->count)
            most = fmaxf(most, series->values[series->count - back]); /* NAN is left out */
    return most;
}

void curve_draw(struct terminal *term, const struct curve *curve)
{
    const struct series *series = curve->series;
    bool ascii = term_ascii(term);
    int lines = curve->lines, each = ascii ? ASCII_LEVELS : BRAILLE_LEVELS;
    double least = 0, most = 0, full = curve->full;
    struct axis axis;
    curve_axis(term, curve->at.width, curve->window, curve->seq, &axis);
    size_t cells = axis.columns / axis.per;
    if (!(full > 0)) {
        series_range(series, axis.values, &least, &most);
        full = most;
    }
    static const char *const marks[] = {" ", "_", ".", "-", "=", "*", "#"};
    AUTO_FREE char *text = mem_alloc(cells * BRAILLE_BYTES + 1);
    struct height {
        int all, dark; /* levels: all of them, and from which on they are darker */
    } *heights AUTO_FREE = mem_array(axis.columns, sizeof(*heights));
    for (size_t c = 0; c < axis.columns; c++) {
        float value = value_in(&axis, series, c);
        float upper = curve->upper && lines > 1 ? value_in(&axis, curve->upper, c) : NAN;
        double rest = ((double)value - (double)upper) / full * lines * each;
        heights[c] = (struct height){level_of(value, full, lines * each),
                                     upper > 0 ? (int)floor(rest) + 1 : INT_MAX};
    }
    for (int line = 0; line < lines; line++) {
        int below = (lines - 1 - line) * each;
        double rise = (double)(lines - line) / lines;
        enum role usual = amount_role(lines == 1 ? 0.7 : curve->upper ? (1 + rise) / 2 : rise);
        enum role role = usual;
        size_t from = 0; /* the first cell of the text, whose cells have one role */
        char *end = text;
        for (size_t cell = 0; cell <= cells; cell++) {
            int level[2] = {0, 0}, dark = INT_MAX;
            for (size_t i = 0; i < axis.per && cell < cells; i++) {
                const struct height *height = &heights[cell * axis.per + i];
                int part = height->all - below;
                level[i] = part < 0 ? 0 : part < each ? part : each;
                dark = height->all > 0 ? height->dark : dark;
            }
            enum role next = dark <= below + each / 2 ? amount_role(0) : usual;
            if (cell == cells || (next != role && cell > from)) {
                *end = '\0';
                term_put(term, curve->at.y + line, curve->at.x + axis.skip + (int)from,
                         (int)(cell - from), role, text);
                from = cell;
                end = text;
            }
            role = next;
            if (cell < cells)
                end = ascii ? stpcpy(end, marks[level[0]]) : braille_put(end, level[0], level[1]);
        }
    }
}
