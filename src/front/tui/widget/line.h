/* A line of labelled values. If the width is small, pieces of low rank are left out. */
#ifndef FRONT_TUI_WIDGET_LINE_H
#define FRONT_TUI_WIDGET_LINE_H

#include "front/term/term.h"

enum { LINE_PIECES = 32, LINE_GAP = 2 };

struct piece {
    char label[24]; /* "" for none */
    char text[200];
    char brief[64]; /* replaces the text before the piece is left out; "" for none */
    enum role label_role, role;
    int rank;             /* the piece of lowest rank is shortened or left out first */
    bool right;           /* at the right edge */
    bool joined;          /* follows the piece before after one cell, and is left out before it */
    bool shortened, gone; /* set by line_fit */
};

struct line {
    struct piece pieces[LINE_PIECES];
    size_t count;
};

/* Adds a piece to a line ({0} is empty) and returns it, so that the caller can change its
 * defaults. */
struct piece *line_add(struct line *line, int rank, const char *label, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Adds a piece without a label at the right edge. */
struct piece *line_add_right(struct line *line, int rank, enum role role, const char *text);
/* Appends a copy of every piece of another line, all with lower ranks. */
void line_append(struct line *line, const struct line *other);

/* Shortens and then leaves out pieces by rank until the line fits. The last piece stays: drawing
 * cuts it. */
void line_fit(struct line *line, int width);
int line_width(const struct line *line); /* cells after line_fit */
void line_draw(const struct line *line, struct terminal *term, int y, int width);
/* Position after line_fit of a piece that is not at the right edge; width 0: left out. */
void line_place(const struct line *line, size_t piece, int *x, int *width);

#endif
