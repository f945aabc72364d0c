/* A history as a curve of one line: dots of braille, two values to a cell, or marks of ASCII, one
 * to a cell. The newest value is at the right end. */
#ifndef FRONT_TUI_WIDGET_CURVE_H
#define FRONT_TUI_WIDGET_CURVE_H

#include "front/term/term.h"
#include "view/trend.h"

/* The values that fit in so many cells. */
size_t curve_room(const struct terminal *term, int width);
/* Draws the newest of them in at most `width` cells, as many as HISTORY_LENGTH values take. full:
 * the value of the full height, 0 for the largest that is drawn. Returns the cells it took. */
int curve_draw(struct terminal *term, int y, int x, int width, const struct series *series,
               double full);

#endif
