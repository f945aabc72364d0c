/* A list over the table: text to read, or lines to choose one from. */
#ifndef FRONT_TUI_WIDGET_PAGE_H
#define FRONT_TUI_WIDGET_PAGE_H

#include "front/term/term.h"
#include "front/tui/widget/layout.h"

struct page_line {
    char *name;     /* at the left; "" for none */
    char *text;     /* at the right, broken into as many lines as it takes */
    enum role role; /* of the name */
    bool title;     /* of the lines that follow: it cannot be chosen */
    int id;         /* what it stands for: the caller's own number */
    size_t y;       /* its first screen line, as drawn last */
};

struct page {
    struct page_line *lines;
    size_t count, room;
    bool choosing;        /* one line is under the cursor */
    bool brief;           /* the texts of all others are cut to one screen line */
    bool flat;            /* and so is that of the line under the cursor */
    int gutter;           /* cells before names, for marks that the caller draws */
    int column;           /* where texts begin, unless a name is longer; 0: after the longest */
    enum role text_role;  /* of texts */
    size_t cursor;        /* the line to choose */
    size_t top;           /* first screen line that is visible */
    size_t height, total; /* screen lines, as drawn last */
    int y;                /* of the first screen line, as drawn last */
};

void page_release(struct page *page);
void page_clear(struct page *page);
/* Adds a line and returns it, valid until the next one is added. */
struct page_line *page_add(struct page *page, enum role role, const char *name, const char *format,
                           ...) __attribute__((format(printf, 4, 5)));
struct page_line *page_title(struct page *page, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The line under the cursor; NULL: there is none to choose. */
const struct page_line *page_chosen(const struct page *page);

void page_step(struct page *page, enum step step); /* of the cursor, else scrolls */
/* Moves the cursor to the entry on that line of the screen; false: there is nothing to choose. */
bool page_point(struct page *page, int y);
void page_draw(struct page *page, struct terminal *term, const struct band *band, int x, int width);

/* Takes the first of the lines of at most `width` cells that a text is broken into, and the spaces
 * after it; the caller frees it. last: it ends in dots if there is more. */
char *page_take_line(const char **text, int width, bool last);

#endif
