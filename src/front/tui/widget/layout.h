/* What goes where on a screen of a given size. Numbers only: no terminal, no view. */
#ifndef FRONT_TUI_WIDGET_LAYOUT_H
#define FRONT_TUI_WIDGET_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

enum { LAYOUT_MIN_WIDTH = 20, LAYOUT_MIN_HEIGHT = 5, LAYOUT_HEADER_LINES = 4 };

/* Lines that there is something to show for. */
struct layout_wish {
    int header; /* up to LAYOUT_HEADER_LINES */
    int meters;
    int notice;
    int message; /* these two are granted as long as one line of the table is left */
    bool prompt;
};

struct band {
    int y, height; /* height 0: not there */
};

/* From top to bottom. */
struct layout {
    bool too_small; /* then nothing else is set */
    int width, height;
    struct band header, meters, notice, titles, table, message, prompt, keys;
};

/* Where the height is short, the table takes lines back from what surrounds it, in steps. */
void layout_make(struct layout *layout, int width, int height, const struct layout_wish *wish);

/* A column's place; width 0: scrolled off or no room. */
struct span {
    int x, width;
};

struct columns_wish {
    const int *widths;
    size_t count;
    bool stretch; /* the last column takes the rest, and stays at the right edge */
    int width;    /* of the table */
    size_t left;  /* columns after the first that are scrolled off */
};

/* Places columns with one cell between them: the first one stays at the left, the last one (if
 * stretch) is given some room before those between them. Returns the number of columns hidden to
 * the right. */
size_t layout_columns(const struct columns_wish *wish, struct span *spans);

#endif
