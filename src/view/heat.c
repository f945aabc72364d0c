#include "view/heat.h"
#include "base/str.h"
#include "view/cpu_level.h"

#include <stdio.h>
#include <string.h>

enum { HOTTEST = 1000 };

void heat_make(struct heat *heat, const struct scene *scene, const struct column *column)
{
    const struct cpu_level *levels = scene->levels;
    *heat = (struct heat){.column = column};
    for (size_t i = 1; i < levels->count && column; i++) {
        struct value value = column_value(column, scene, &levels->rows[i]);
        if (value.state < VALUE_UNDEFINED && value.number > heat->largest)
            heat->largest = value.number;
    }
}

bool heat_number(const struct scene *scene, const struct row *row, int64_t *number)
{
    const struct heat *heat = scene->heat;
    if (!heat->column)
        return false;
    struct value value = column_value(heat->column, scene, row);
    const struct metric *metric = heat->column->metric;
    bool percent = metric && metric->unit.kind == UNIT_PERCENT;
    double most = percent ? 100 : heat->largest;
    if (percent && str_equal(metric->name, "cpu_pct")) /* of time, of which each CPU has its own */
        most *= (double)cpu_level_of(scene->levels, row)->cpus;
    if (value.state >= VALUE_UNDEFINED || (!percent && cpu_level_is_total(scene->levels, row)))
        return false;
    double part = most > 0 ? value.number / most : 0;
    *number = (int64_t)(HOTTEST * (part > 1 ? 1 : part > 0 ? part : 0));
    return true;
}

void heat_cell(const struct scene *scene, int64_t number, struct cell *cell)
{
    static const char *const bars[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    enum { BARS = sizeof(bars) / sizeof(bars[0]), DIGITS = 10 };
    int64_t steps = scene->settings->ascii ? DIGITS : BARS;
    int64_t step = number * steps / HOTTEST;
    if (step == steps)
        step--;
    if (scene->settings->ascii)
        snprintf(cell->text, sizeof(cell->text), "%d", (int)step);
    else
        strcpy(cell->text, bars[step]);
    cell->role = number * 3 < HOTTEST       ? ROLE_HEAT_LOW
                 : number * 3 < 2 * HOTTEST ? ROLE_HEAT_MID
                                            : ROLE_HEAT_HIGH;
}
