/* Where bars of CPUs stand: column by column, as few columns as the lines allow, and where there
 * are more CPUs than that, one bar for several. Numbers only. */
#ifndef FRONT_TUI_WIDGET_GRID_H
#define FRONT_TUI_WIDGET_GRID_H

#include <stddef.h>

struct grid {
    size_t per; /* CPUs to a bar: 1, 2, 4 ... */
    size_t bars;
    int columns, lines;
    int width; /* of a column, without the gap to the next */
};

struct box {
    int y, x, width;
};

/* Lines that one bar of comfortable length for each CPU takes. */
int grid_lines(size_t cpus, int width);
/* Places bars for cpus >= 1 CPUs in at most lines >= 1 lines. */
void grid_make(struct grid *grid, size_t cpus, int width, int lines);
struct box grid_box(const struct grid *grid, size_t bar);

#endif
