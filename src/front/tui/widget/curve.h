/* Draws a history as a curve: braille dots with two values per cell, or ASCII marks with one per
 * cell. The newest value is at the right. */
#ifndef FRONT_TUI_WIDGET_CURVE_H
#define FRONT_TUI_WIDGET_CURVE_H

#include "front/term/term.h"
#include "front/tui/widget/layout.h"
#include "view/trend.h"

/* The axes of a chart: which values of a history are in which cells, when they were, and the value
 * of full height. Numbers only: no terminal. */

/* The newest `values` of a history over that many columns of dots or marks, `per` to a cell, at
 * least one for each value; the newest is at the right. A value is named by how far back it is: 1
 * is the newest. */
struct axis {
    size_t columns, per, values;
};

/* As many values as there are columns, at most HISTORY_LENGTH. */
void axis_make(struct axis *axis, int cells, size_t per);
size_t axis_back(const struct axis *axis, size_t column); /* the value in a column */
size_t axis_back_at(const struct axis *axis, int cell);   /* the newest value in a cell */
int axis_cell(const struct axis *axis, size_t back);      /* the middle cell of a value */

/* The intervals whose values are shown, as far as known; and the one that ended nearest to a time,
 * 0 if there is none. */
size_t axis_shown(const struct axis *axis, const struct intervals *intervals);
size_t axis_nearest(const struct axis *axis, const struct intervals *intervals, double time);

enum { AXIS_TICKS = 40 };

struct tick {
    int cell;
    double ago; /* seconds before the end of the newest interval: a multiple of a round number */
};

/* Finds intervals that ended about a round number of seconds ago, by their real lengths, at least
 * `apart` cells from each other; the newest first. Returns their number. */
size_t axis_ticks(const struct axis *axis, const struct intervals *intervals, int apart,
                  struct tick ticks[AXIS_TICKS]);

/* The next of 1, 2, 5, 10, 20 ... (or 0.5, 0.2, 0.1 ...) that is not below `most`; 1 for 0. */
double axis_full(double most);

/* The values that fit in that many cells, and where; they take all cells. */
void curve_axis(const struct terminal *term, int width, struct axis *axis);
struct curve {
    struct box at;
    int lines; /* from at.y on */
    const struct series *series;
    double full;    /* the value of full height; 0: the largest value drawn */
    bool stretched; /* HISTORY_LENGTH values take all of a larger width; else one column each */
};

/* Draws the newest values; returns the number of cells used. */
int curve_draw(struct terminal *term, const struct curve *curve);

#endif
