/* The table: the visible part of a view, and the cursor. */
#pragma once

#include "front/term/term.h"
#include "front/tui/widget/layout.h"
#include "view/strip.h"

/* A command line in sight: reading it takes a system call or four, and it seldom changes. */
struct command_line {
    uint64_t id, at; /* of the row; clock_monotonic() when it was read */
    char comm[TASK_COMM_SIZE];
    char text[256];
};

/* {0} is the initial state. */
struct table {
    bool selecting;    /* a cursor is visible; otherwise the table shows its beginning */
    bool following;    /* the cursor stays on its row, even while the row is not in the table */
    bool absent;       /* the followed row is not in the table */
    bool ended;        /* the followed row has ended */
    char followed[40]; /* name of the followed row: a pid, a name */
    uint64_t id;       /* of the row under the cursor, to find it again */
    size_t row;        /* its current index */
    size_t top;        /* first visible row */
    size_t left;       /* columns scrolled off after the first */
    int shift;         /* cells scrolled off in the last column */
    size_t window;     /* intervals that lines of heat show */
    bool reveal;       /* the next table_place scrolls to the last column before the name column */

    /* Results of the last table_place. */
    struct span *spans;                    /* owned */
    struct command_line command_lines[64]; /* by id: those drawn lately */
    size_t columns, room;
    size_t hidden;      /* columns that do not fit at the right */
    struct strip strip; /* scale of the column of strips; {0}: it is not placed */
    int gutter;         /* cells before the first column for row marks */
    int height;         /* rows that fit */
    int lines;          /* of a row, at least 1 */
    int longest;        /* width of the longest visible text in the last column */
};

/* Call after the view's rows changed: finds the row under the cursor. If it is gone, the cursor
 * keeps its place on the screen; a followed row that is gone has no cursor until it is back. */
void table_follow(struct table *table, struct view *view);

/* The row under the cursor, NULL without one. */
const struct row *table_row(const struct table *table, const struct view *view);
/* Moves the cursor to a row. */
void table_select(struct table *table, struct view *view, size_t row);
/* Follows the row under the cursor, which must exist, until the cursor is moved. */
void table_hold(struct table *table, struct view *view);

/* Moves the cursor, at most to the first or the last row; without one, a step up or down shows it
 * in the first line. Stops following a row. */
void table_step(struct table *table, struct view *view, enum step step);
void table_home(struct table *table);                /* to the beginning, hides the cursor */
void table_scroll(struct table *table, int columns); /* -1: to the left, 1: to the right */

/* Moves the cursor to the nearest row that contains text, forwards from row `from` or backwards
 * from the one before it, and wraps around; false if none does. */
bool table_search(struct table *table, struct view *view, const char *text, size_t from,
                  bool backwards);

/* Computes positions for this size; call before table_draw and after every change. */
void table_place(struct table *table, struct view *view, int width, int height);
/* The index of the column at a cell of a line; table->columns for none. */
size_t table_column_at(const struct table *table, int x);
bool table_shows_column(const struct table *table, size_t column);
/* The row at a line of its band; view_rows() or more: none. */
size_t table_row_at(const struct table *table, int y);
void table_draw_titles(const struct table *table, struct view *view, struct terminal *term,
                       const struct band *band, int width);
/* empty: the text shown instead of rows if there are none. */
void table_draw(struct table *table, struct view *view, struct terminal *term,
                const struct band *band, int width, const char *empty);
