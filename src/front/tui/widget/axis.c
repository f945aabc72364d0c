#include "front/tui/widget/axis.h"

#include <math.h>

void axis_make(struct axis *axis, int cells, size_t per)
{
    size_t columns = cells > 0 ? (size_t)cells * per : 0;
    *axis = (struct axis){columns, per, columns < HISTORY_LENGTH ? columns : HISTORY_LENGTH};
}

size_t axis_back(const struct axis *axis, size_t column)
{
    return axis->values - column * axis->values / axis->columns;
}

size_t axis_back_at(const struct axis *axis, int cell)
{
    size_t column = (size_t)(cell > 0 ? cell : 0) * axis->per + axis->per - 1;
    return axis_back(axis, column < axis->columns ? column : axis->columns - 1);
}

/* The first column of the value that is so far from the oldest, 0 for that. */
static size_t first_column(const struct axis *axis, size_t value)
{
    return (value * axis->columns + axis->values - 1) / axis->values;
}

int axis_cell(const struct axis *axis, size_t back)
{
    size_t value = axis->values - back;
    size_t middle = (first_column(axis, value) + first_column(axis, value + 1) - 1) / 2;
    return (int)(middle / axis->per);
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
