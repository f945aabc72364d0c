/* Where bars of CPUs stand: column by column, as few columns as the lines allow, and where there
 * are more CPUs than that, one bar for several. Numbers only. */
#ifndef FRONT_TUI_GRID_H
#define FRONT_TUI_GRID_H

#include <stddef.h>

struct grid {
    size_t per; /* CPUs to a bar: 1, 2, 4 ... */
    size_t bars;
    int columns, lines;
    int width; /* of a column, without what is between it and the next */
};

struct cpu_events {
    int y, x, width;
};

/* Lines that a bar for each of so many CPUs takes, of a comfortable length. */
int grid_lines(size_t cpus, int width);
/* For at least one CPU, in at most so many lines, of which there is at least one. */
void grid_make(struct grid *grid, size_t cpus, int width, int lines);
struct cpu_events grid_place(const struct grid *grid, size_t bar);

#endif
