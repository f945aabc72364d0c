/* What goes where on a screen of a given size, and where a step leads. Numbers only: no terminal,
 * no view. */
#ifndef FRONT_TUI_WIDGET_LAYOUT_H
#define FRONT_TUI_WIDGET_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

enum { LAYOUT_MIN_WIDTH = 20, LAYOUT_MIN_HEIGHT = 5, LAYOUT_HEADER_LINES = 4 };

/* Lines that there is something to show for. */
struct layout_wish {
    int header; /* up to LAYOUT_HEADER_LINES */
    int meters;
    int notice;
    int message; /* these two are granted as long as one line of the table is left */
    bool prompt;
};

struct band {
    int y, height; /* height 0: not there */
};

/* From top to bottom. */
struct layout {
    bool too_small; /* then nothing else is set */
    int width, height;
    struct band header, meters, notice, titles, table, message, prompt, keys;
};

/* Where the height is short, the table takes lines back from what surrounds it, in steps. */
void layout_make(struct layout *layout, int width, int height, const struct layout_wish *wish);

/* A column's place; width 0: scrolled off or no room. */
struct span {
    int x, width;
};

struct columns_wish {
    const int *widths;
    size_t count;
    bool stretch; /* the last column takes the rest, and stays at the right edge */
    int width;    /* of the table */
    size_t left;  /* columns after the first that are scrolled off */
};

/* Places columns with one cell between them: the first one stays at the left, the last one (if
 * stretch) is given some room before those between them. Returns the number of columns hidden to
 * the right. */
size_t layout_columns(const struct columns_wish *wish, struct span *spans);

/* Bars of CPUs stand column by column, in as few columns as the lines allow; where there are more
 * CPUs than that, one bar is for several. */
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

/* Steps of the keys that move: through a list, a page, a table. */
enum step {
    STEP_UP,
    STEP_DOWN,
    STEP_PAGE_UP,
    STEP_PAGE_DOWN,
    STEP_HOME,
    STEP_END,
    STEP_LEFT,
    STEP_RIGHT,
};

/* Where a step leads from place `at` in a list of `count`, `height` of which are visible;
 * STEP_LEFT and STEP_RIGHT do not move. */
size_t step_from(enum step step, size_t at, size_t count, size_t height);

#endif
