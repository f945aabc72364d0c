/* Draws a history as a curve: braille dots with two values per cell, or ASCII marks with one per
 * cell. The newest value is at the right. */
#ifndef FRONT_TUI_WIDGET_CURVE_H
#define FRONT_TUI_WIDGET_CURVE_H

#include "front/term/term.h"
#include "front/tui/widget/axis.h"
#include "front/tui/widget/layout.h"
#include "view/trend.h"

/* The values that fit in that many cells, and where; they take all cells. */
void curve_axis(const struct terminal *term, int width, struct axis *axis);
struct curve {
    struct box at;
    int lines; /* from at.y on */
    const struct series *series;
    double full;    /* the value of full height; 0: the largest value drawn */
    bool hot;       /* what is in the upper half of several lines has the colours of heat */
    bool stretched; /* HISTORY_LENGTH values take all of a larger width; else one column each */
};

/* Draws the newest values; returns the number of cells used. */
int curve_draw(struct terminal *term, const struct curve *curve);

#endif
