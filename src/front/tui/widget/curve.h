/* Draws a history as a curve: braille dots, two columns to a cell, or ASCII marks. The newest value
 * is at the right. */
#pragma once

#include "front/term/term.h"
#include "front/tui/widget/layout.h"

/* The axes of a chart: which values of a history are in which cells, when they were, and the value
 * of full height. Numbers only: no terminal. */

/* The newest `values` of a history over that many columns of dots or marks, `per` to a cell; the
 * newest is at the right. Each value has the same number of columns, or several share one. A value
 * is named by how far back it is: 1 is the newest. */
struct axis {
    size_t columns, per, values;
    bool odd; /* the last column is empty, and all values are one column further left */
    int skip; /* cells at the left, without a column */
};

/* The width for at least `window` values, at most HISTORY_LENGTH. Where each has a cell, it has
 * whole cells, so that a new value moves the others by cells; what is left shows older values. */
void axis_make(struct axis *axis, int cells, size_t per, size_t window);
size_t axis_back(const struct axis *axis, size_t column); /* the newest value in a column */
size_t axis_back_at(const struct axis *axis, int cell);   /* the newest value in a cell */
int axis_cell(const struct axis *axis, size_t back);      /* the middle cell of a value */

/* Number of the axis's values whose intervals are known: axis->values, or less. */
size_t axis_shown(const struct axis *axis, const struct intervals *intervals);
/* How far back (1: the newest) the interval is, of those, that ended nearest to a time, in seconds
 * since 1970; 0: there is none. */
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

/* axis_make() with the marks of the terminal. Of two values in a cell, which two depends on the
 * number of the newest interval alone, so that cells change in every second interval only. */
void curve_axis(const struct terminal *term, int width, size_t window, uint64_t seq,
                struct axis *axis);
struct curve {
    struct box at;
    int lines; /* from at.y on */
    const struct series *series;
    double full;                /* the value of full height; 0: the largest value drawn */
    size_t window;              /* values, see axis_make() */
    uint64_t seq;               /* see curve_axis() */
    const struct series *upper; /* the part of the values at the top, darker; NULL: none */
};

/* Draws the newest values; of several in a column the largest. */
void curve_draw(struct terminal *term, const struct curve *curve);
