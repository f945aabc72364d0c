/* Draws a history as a curve: braille dots with two values per cell, or ASCII marks with one per
 * cell. The newest value is at the right. */
#ifndef FRONT_TUI_WIDGET_CURVE_H
#define FRONT_TUI_WIDGET_CURVE_H

#include "front/term/term.h"
#include "front/tui/widget/layout.h"
#include "view/trend.h"

/* Number of values that fit in so many cells. */
size_t curve_room(const struct terminal *term, int width);
/* Draws the newest values in at most `at.width` cells, or fewer if HISTORY_LENGTH values fit, on
 * `lines` lines from at.y on. full: the value of full height, 0: the largest value drawn. hot: what
 * is in the upper half of several lines has the colours of heat. Returns the number of cells
 * used. */
int curve_draw(struct terminal *term, struct box at, int lines, const struct series *series,
               double full, bool hot);

#endif
