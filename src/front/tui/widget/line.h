/* A line of labelled values; where the width is short, those of low rank are left out. */
#ifndef FRONT_TUI_WIDGET_LINE_H
#define FRONT_TUI_WIDGET_LINE_H

#include "front/term/term.h"

enum { LINE_PIECES = 32, LINE_GAP = 2 };

struct piece {
    char label[24]; /* "" for none */
    char text[200];
    char brief[64]; /* takes the place of text before the piece is left out; "" for none */
    enum role label_role, role;
    int rank;    /* the lowest is shortened or left out first */
    bool right;  /* at the right edge */
    bool joined; /* belongs to the piece before: one cell after it, and is left out first */
    bool shortened, gone; /* set by line_fit */
};

struct line {
    struct piece pieces[LINE_PIECES];
    size_t count;
};

/* Adds a piece to a line, which begins as {0}, and returns it, so that the caller can change its
 * defaults. */
struct piece *line_add(struct line *line, int rank, const char *label, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* One at the right edge without a label. */
struct piece *line_add_right(struct line *line, int rank, enum role role, const char *text);
/* Appends a copy of every piece of another line, ranked below these. */
void line_append(struct line *line, const struct line *other);

/* Shortens pieces, then leaves them out, by rank, until the others fit. The last one stays: it is
 * cut when it is drawn. */
void line_fit(struct line *line, int width);
int line_width(const struct line *line); /* cells it takes, as fitted */
void line_draw(const struct line *line, struct terminal *term, int y, int width);
/* Where a piece that is not at the right edge stands, as fitted; width 0: it is left out. */
void line_place(const struct line *line, size_t piece, int *x, int *width);

#endif
