#include "front/tui/widget/grid.h"

enum { COMFORT = 40, NARROWEST = 16, GAP = 1 };

static int grid_lines_of(size_t bars, int columns)
{
    return (int)((bars + (size_t)columns - 1) / (size_t)columns);
}

/* How many columns of such a width there are, at least one, and no more than bars. */
static int grid_columns_of(int width, int column, size_t bars)
{
    int columns = width / column > 1 ? width / column : 1;
    return bars < (size_t)columns ? (int)bars : columns;
}

int grid_lines(size_t cpus, int width)
{
    return grid_lines_of(cpus, grid_columns_of(width, COMFORT, cpus));
}

void grid_make(struct grid *grid, size_t cpus, int width, int lines)
{
    size_t per = 1, bars = cpus;
    while (bars > 1 && grid_lines_of(bars, grid_columns_of(width, NARROWEST, bars)) > lines) {
        per *= 2;
        bars = (cpus + per - 1) / per;
    }
    int columns = grid_columns_of(width, COMFORT, bars),
        most = grid_columns_of(width, NARROWEST, bars);
    while (columns < most && grid_lines_of(bars, columns) > lines)
        columns++;
    int needed = grid_lines_of(bars, columns);
    *grid = (struct grid){
        .per = per,
        .bars = bars,
        .columns = columns,
        .lines = needed < lines ? needed : lines,
        .width = (width - (columns - 1) * GAP) / columns,
    };
}

struct box grid_box(const struct grid *grid, size_t bar)
{
    int column = (int)bar / grid->lines, line = (int)bar % grid->lines;
    return (struct box){line, column * (grid->width + GAP), grid->width};
}
