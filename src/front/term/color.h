/* Colours as themes name them, and what a terminal with fewer colours shows instead. */
#ifndef FRONT_TERM_COLOR_H
#define FRONT_TERM_COLOR_H

#include <stdbool.h>
#include <stddef.h>

enum color_kind {
    COLOR_UNSET,   /* not given: the colour of ordinary text */
    COLOR_DEFAULT, /* the terminal's own */
    COLOR_INDEX,   /* 0 to 255 of xterm's palette; 0 to 15 are the terminal's named ones */
    COLOR_RGB,
};

struct color {
    enum color_kind kind;
    unsigned value; /* the index, or 0xrrggbb */
};

/* A name ("red", "bright-red", "default"), a number (0 to 255) or "#rrggbb"; else false. */
bool color_parse(const char *text, struct color *color);
const char *color_name(size_t i); /* the i-th name, NULL after the last */

/* 0xrrggbb; xterm's for an index, black for the terminal's own colour. */
unsigned color_rgb(struct color color);

enum color_help { COLOR_EXACT, COLOR_WITH_BOLD, COLOR_WITH_DIM };

/* The number of this colour, or of the nearest one, on a terminal with `colors` colours; -1: the
 * default colour. *help (may be NULL) gets the attribute that replaces a bright foreground on a
 * terminal with 8 colours. From 0x1000000 colours on, numbers from 8 are RGB values (terminfo(5),
 * RGB). */
int color_number(struct color color, int colors, enum color_help *help);

#endif
