/* A line of labelled values. If the width is small, pieces of low rank are left out. */
#pragma once

#include "front/term/term.h"

enum { LINE_PIECES = 32, LINE_GAP = 2 };

/* Ranks of what lines of the header, pictures and curves have, the least important first. */
enum line_rank {
    RANK_CLOCK, /* while counting */
    RANK_SCREEN_BEFORE,
    RANK_SCREEN_AFTER,
    RANK_EVENTS,
    RANK_USUAL_DELAY,
    RANK_UNCOUNTED, /* the notice and the cells say it, too */
    RANK_LAST_VIEW,
    RANK_FIRST_VIEW = RANK_LAST_VIEW + 15,
    RANK_DELAY,
    RANK_NARROW, /* boxes of a picture that are not drawn */
    RANK_CURVES,
    RANK_SCREEN,
    RANK_NAMES, /* being read */
    RANK_COVERAGE,
    RANK_EXPLAINED,
    RANK_SORTED,
    RANK_MODE,
    RANK_BUSY,
    RANK_AMOUNT,
    RANK_LEAST_CPU,
    RANK_WATCHING,
    RANK_TAGGED,
    RANK_FOLLOWING,
    RANK_AMOUNT_AT_END,
    RANK_PAUSED_CLOCK,
    RANK_RECORDING,
    RANK_FILTER, /* from here on: what changes the rows and their numbers */
    RANK_BASELINE,
    RANK_DEPTH, /* of a picture */
    RANK_TROUBLE,
    RANK_VIEW, /* the one that is shown; in a picture, what was searched */
    RANK_PAUSED,
    RANK_PAST_CLOCK,
    RANK_PAST,
    RANK_CURSOR,
};

struct piece {
    char label[24]; /* "" for none */
    char text[200];
    char brief[96]; /* replaces the text before the piece is left out; "" for none */
    enum role label_role, role;
    int rank;   /* the lowest is shortened or left out first: of line_rank, or the caller's */
    int gap;    /* cells to the piece before */
    bool right; /* at the right edge */
    bool cut;   /* its brief is what there is room for of its text, with dots */
    int press;  /* what a press of the mouse means, for the caller; 0: nothing */
    bool shortened, gone; /* set by line_fit */
    int x;                /* set by line_draw */
};

struct line {
    struct piece pieces[LINE_PIECES];
    size_t count;
};

/* Adds a piece to a line ({0} is empty), at its left or right edge; returns it, for changes of its
 * defaults. */
struct piece *line_add_piece(struct line *line, int rank, bool right, const char *label,
                             const char *format, ...) __attribute__((format(printf, 5, 6)));
#define line_add(line, rank, ...) line_add_piece(line, rank, false, __VA_ARGS__)
#define line_add_right(line, rank, ...) line_add_piece(line, rank, true, __VA_ARGS__)

/* Shortens or leaves out pieces, by rank: after the first that does not fit even shortened, all of
 * lower rank are left out, too. The piece of highest rank stays: drawing cuts it. */
void line_fit(struct line *line, int width);
int line_width(const struct line *line); /* cells after line_fit */
void line_draw(struct line *line, struct terminal *term, int y, int width);
/* Fits pieces at the right edge into `most` cells and draws them; returns the cells before them. */
int line_put(struct line *line, struct terminal *term, int y, int width, int most);
/* The piece at that cell after line_draw; NULL: none. */
const struct piece *line_piece_at(const struct line *line, int x);

/* Draws a text at the right end of `width` cells. */
void line_put_right(struct terminal *term, int y, int x, int width, enum role role,
                    const char *text);
