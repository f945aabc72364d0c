/* The screen as cells: its current and its wanted contents, and output from one to the other: only
 * lines that move, and cells that differ, line by line. Pure. */
#ifndef FRONT_TERM_CANVAS_H
#define FRONT_TERM_CANVAS_H

#include "base/str.h"
#include "front/term/terminfo.h"

#include <stdbool.h>
#include <stdint.h>

enum { CANVAS_CODES = 3 }; /* a character and combining ones */

/* One cell. The second one of a wide character has width 0 and no codes. Its fields fill it, so
 * that cells can be compared as bytes. */
struct canvas_cell {
    uint32_t codes[CANVAS_CODES]; /* unused ones are 0 */
    uint16_t width;
    uint16_t look; /* a number in struct terminfo */
};

struct canvas {
    int height, width;
    struct canvas_cell *shown, *next;
    uint64_t *shown_things, *next_things; /* what each line is about; 0: not known */
    bool unknown;                         /* the terminal's content is not known */
    /* The terminal's cursor and look; -1: not known. */
    int y, x, look;
};

void canvas_init(struct canvas *canvas);
void canvas_release(struct canvas *canvas);
/* The next update then clears the screen and writes everything, as after canvas_forget(). */
void canvas_resize(struct canvas *canvas, int height, int width);
void canvas_forget(struct canvas *canvas);
void canvas_recolor(struct canvas *canvas); /* the looks have changed: the next update writes all */
void canvas_begin(struct canvas *canvas, int look); /* makes the new screen blank */
/* Draws text in `width` cells, cut at the edges of the screen; with `fill` spaces take the rest of
 * the width. Returns the cells that the text took. With `ascii` other characters become '?'. */
int canvas_put(struct canvas *canvas, int y, int x, int width, int look, const char *text,
               bool fill, bool ascii);
/* Says what line y is about: where that stands in another line of the next screen, the line may be
 * moved. 0: nothing that moves. */
void canvas_line(struct canvas *canvas, int y, uint64_t thing);

/* Adds the output that makes the terminal show the new screen. */
void canvas_update(struct canvas *canvas, const struct terminfo *info, struct str *out);
/* Adds the output that moves the terminal's cursor. */
void canvas_move(struct canvas *canvas, const struct terminfo *info, struct str *out, int y, int x);

#endif
