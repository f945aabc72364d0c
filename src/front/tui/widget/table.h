/* The table pane: which part of a view is on the screen, and where the cursor is. */
#ifndef FRONT_TUI_WIDGET_TABLE_H
#define FRONT_TUI_WIDGET_TABLE_H

#include "front/term/term.h"
#include "front/tui/widget/layout.h"
#include "view/view.h"

/* Begins as {0}. */
struct table {
    bool selecting;    /* there is a cursor; else the table shows its beginning */
    bool following;    /* the cursor stays on its row, even while that is not in the table */
    bool absent;       /* and now it is not */
    bool ended;        /* it was seen to end */
    char followed[40]; /* what the row that is followed is called: a pid, a name */
    uint64_t id;       /* of the row under the cursor, which stays there when the order changes */
    size_t row;        /* where that is now */
    size_t top;        /* first row that is visible */
    size_t left;       /* columns scrolled off, after the first one */
    int shift;         /* cells scrolled off in the last column */
    bool reveal;       /* the next table_place scrolls to the last column before the name */

    /* As placed last. */
    struct span *spans; /* owned */
    size_t columns, room;
    size_t hidden; /* columns to the right that had no room */
    int gutter;    /* cells before the first column, for marks of rows */
    int height;    /* rows that there is room for */
    int longest;   /* cells of the longest text visible in the last column */
};

/* After the view's rows changed: finds the row under the cursor again. If it is gone, the cursor
 * stays at its place on the screen; if it is followed, there is no cursor until it is back. */
void table_follow(struct table *table, struct view *view);

/* The row under the cursor, NULL without one. */
const struct row *table_row(const struct table *table, const struct view *view);
/* Moves the cursor to a row. */
void table_select(struct table *table, struct view *view, size_t row);
/* Follows the row under the cursor, which is there, until the cursor is moved. */
void table_hold(struct table *table, struct view *view);

void table_step(struct table *table, struct view *view, enum step step); /* moves the cursor */
void table_home(struct table *table);                /* to the beginning, without a cursor */
void table_scroll(struct table *table, int columns); /* -1: to the left, 1: to the right */

/* Moves the cursor to the nearest row that contains text: forwards from row `from` on, or
 * backwards from the one before it, and around; false when none does. */
bool table_search(struct table *table, struct view *view, const char *text, size_t from,
                  bool backwards);

/* Places columns and rows for this size; before table_draw, and after every change. */
void table_place(struct table *table, struct view *view, int width, int height);
/* The column at a cell of a line; table->columns for none. */
size_t table_column_at(const struct table *table, int x);
bool table_shows_column(const struct table *table, size_t column);
void table_draw_titles(const struct table *table, struct view *view, struct terminal *term,
                       const struct band *band, int width);
/* empty: the text to show if there are no rows. */
void table_draw(struct table *table, struct view *view, struct terminal *term,
                const struct band *band, int width, const char *empty);

#endif
