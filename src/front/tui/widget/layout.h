/* Positions of all parts on a screen of a given size, and targets of cursor steps. Pure. */
#pragma once

#include "base/base.h"

enum { LAYOUT_MIN_WIDTH = 20, LAYOUT_MIN_HEIGHT = 5 };

/* Lines wanted by each part. */
struct layout_wish {
    int header; /* 0 or 1 */
    int meters;
    int notice;
    int books;   /* 0 or 1 */
    int panel;   /* below the table */
    int message; /* this and prompt are granted while one line of the table is left */
    bool prompt;
};

struct band {
    int y, height; /* height 0: not visible */
};

/* From top to bottom. */
struct layout {
    bool too_small; /* then nothing else is set */
    int width, height;
    struct band header, meters, notice, books, titles, table, panel, message, prompt, keys;
};

/* If the height is small, the parts around the table give up lines in steps. */
void layout_make(struct layout *layout, int width, int height, const struct layout_wish *wish);

/* Position of a column; width 0: scrolled off or no room. */
struct span {
    int x, width;
};

struct columns_wish {
    const int *widths;
    size_t count;
    bool stretch;     /* the last column takes the remaining width at the right edge */
    int width;        /* of the table */
    size_t left;      /* scrolled-off columns after the first, kept ones not counted */
    const bool *kept; /* for each column: is never scrolled off or crowded out; NULL: none is */
    /* For each column: 0, or how many cells it, all spare ones before it and all others must leave
     * to the last column, else it is not placed and not counted as hidden; NULL: all 0. */
    const int *spare;
    const int
        *least; /* for each column: cells that do where it has no room for its width; 0: none */
};

/* Places columns with one cell between them. The first stays at the left; the last (if stretch) and
 * kept ones get their width before the others. Returns how many are hidden at the right. */
size_t layout_columns(const struct columns_wish *wish, struct span *spans);

/* CPU bars are placed column by column, in as few as lines allow; else a bar stands for several. */
struct grid {
    size_t per; /* CPUs per bar: 1, 2, 4 ... */
    size_t bars;
    int columns, lines;
    int width; /* of a column, without the gap to the next */
};

struct box {
    int y, x, width;
};

/* Number of lines needed for one bar of comfortable length per CPU. */
int grid_lines(size_t cpus, int width);
/* Places bars for cpus >= 1 CPUs in at most lines >= 1 lines. */
void grid_make(struct grid *grid, size_t cpus, int width, int lines);
struct box grid_box(const struct grid *grid, size_t bar);

/* Cursor steps in a list, page or table. */
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

/* The target of a step from index `at` of `count`, with `height` visible; left and right: `at`. */
size_t step_from(enum step step, size_t at, size_t count, size_t height);
