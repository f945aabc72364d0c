/* The screen as cells: what the terminal shows and what it should show, and the shortest output
 * from one to the other. Pure: the terminal's sequences come from functions. */
#ifndef FRONT_TERM_CANVAS_H
#define FRONT_TERM_CANVAS_H

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

enum { CANVAS_CODES = 3 }; /* a character and combining ones */

/* One cell. The second one of a wide character has width 0 and no codes. */
struct canvas_cell {
    uint32_t codes[CANVAS_CODES]; /* unused ones are 0 */
    uint8_t width;
    uint8_t look; /* a number whose meaning struct canvas_terminal knows */
};

/* The terminal's abilities. Each function adds to `out`. */
struct canvas_terminal {
    void *ctx;
    /* Moves the cursor; from_x -1: its position is not known. */
    void (*move)(void *ctx, struct str *out, int from_y, int from_x, int y, int x);
    void (*look)(void *ctx, struct str *out, int from, int to); /* from -1: not known */
    /* Whether two looks are the same to the eye; with `blank` for a space. */
    bool (*alike)(void *ctx, int a, int b, bool blank);
    bool (*erases)(void *ctx, int look); /* erasing with this look gives spaces of this look */
    const char *clear;                   /* clears the screen and moves the cursor to (0, 0) */
    const char *clear_line;              /* from the cursor to the right edge; "": not possible */
    bool scrolls;                        /* writing the last cell of the screen scrolls it */
};

struct canvas {
    int height, width;
    struct canvas_cell *shown, *next;
    bool unknown; /* what the terminal shows is not known */
    /* The terminal's cursor and look; -1: not known. */
    int y, x, look;
};

void canvas_init(struct canvas *canvas);
void canvas_release(struct canvas *canvas);
/* Afterwards the next update clears the screen and writes everything, as after canvas_forget(). */
void canvas_resize(struct canvas *canvas, int height, int width);
void canvas_forget(struct canvas *canvas);
void canvas_recolor(
    struct canvas *canvas); /* looks have changed: the next update writes all cells */
void canvas_begin(struct canvas *canvas, int look); /* makes the new screen blank */
/* Draws text in `width` cells, cut at the edges of the screen; with `fill` spaces take the rest of
 * the width. Returns the cells that the text took. With `ascii` other characters become '?'. */
int canvas_put(struct canvas *canvas, int y, int x, int width, int look, const char *text,
               bool fill, bool ascii);

/* Adds the output that makes the terminal show the new screen. */
void canvas_update(struct canvas *canvas, const struct canvas_terminal *terminal, struct str *out);
/* Adds the output that moves the terminal's cursor. */
void canvas_move(struct canvas *canvas, const struct canvas_terminal *terminal, struct str *out,
                 int y, int x);

#endif
