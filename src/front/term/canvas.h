/* The screen as cells: what the terminal shows, and what it is to show; and the way from one to the
 * other in few bytes. Pure: what the terminal understands comes as functions. */
#ifndef FRONT_TERM_CANVAS_H
#define FRONT_TERM_CANVAS_H

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

enum { CANVAS_CODES = 3 }; /* a character and what combines with it */

/* One cell. The second one of a wide character has width 0 and no codes. */
struct canvas_cell {
    uint32_t codes[CANVAS_CODES]; /* the rest is 0 */
    uint8_t width;
    uint8_t look; /* numbers that the terminal below gives a meaning */
};

/* What the terminal understands. Each function adds to `out`. */
struct canvas_terminal {
    void *ctx;
    /* Moves the cursor; from_x -1: nobody knows where it is. */
    void (*move)(void *ctx, struct str *out, int from_y, int from_x, int y, int x);
    void (*look)(void *ctx, struct str *out, int from, int to); /* from -1: it is not known */
    /* Two looks cannot be told apart; with `blank` in a space. */
    bool (*alike)(void *ctx, int a, int b, bool blank);
    bool (*erases)(void *ctx, int look); /* what is erased in it looks like a space in it */
    const char *clear;                   /* the screen, and the cursor to (0, 0) */
    const char *clear_line;              /* from the cursor to the right edge; "": it cannot */
    bool scrolls;                        /* a character in the last cell of the screen scrolls it */
};

struct canvas {
    int height, width;
    struct canvas_cell *shown, *next;
    bool unknown; /* nobody knows what is shown */
    /* Of the terminal, -1: not known. */
    int y, x, look;
};

void canvas_init(struct canvas *canvas);
void canvas_release(struct canvas *canvas);
/* After it nothing is known of what is shown. */
void canvas_resize(struct canvas *canvas, int height, int width);
void canvas_forget(struct canvas *canvas);  /* nothing is known of what is shown: it is cleared */
void canvas_recolor(struct canvas *canvas); /* looks have changed: all is written again, over it */

void canvas_begin(struct canvas *canvas, int look); /* all that is to be shown is blank */
/* Draws text in `width` cells, cut at the edges of the screen, with spaces in what is left of them
 * if `fill`; returns the cells that the text took. With `ascii` what is not ASCII is '?'. */
int canvas_put(struct canvas *canvas, int y, int x, int width, int look, const char *text,
               bool fill, bool ascii);

/* Adds what makes the terminal show what is to be shown. */
void canvas_update(struct canvas *canvas, const struct canvas_terminal *terminal, struct str *out);
/* Adds what moves the terminal's cursor there. */
void canvas_move(struct canvas *canvas, const struct canvas_terminal *terminal, struct str *out,
                 int y, int x);

#endif
