/* A list over the table: text to read, or lines to choose one from. */
#ifndef FRONT_TUI_PAGE_H
#define FRONT_TUI_PAGE_H

#include "front/term/term.h"
#include "front/tui/layout.h"
#include "front/tui/pane.h"

struct page_line {
    char *name;     /* at the left; "" for none */
    char *text;     /* at the right, broken into as many lines as it takes */
    enum role role; /* of the name; ROLE_HEADING: the line is the title of what follows */
    size_t y;       /* its first screen line, as drawn last */
};

struct page {
    struct page_line *lines;
    size_t count, room;
    bool choosing;        /* one line is under the cursor */
    bool brief;           /* the texts of all others are cut to one screen line */
    size_t cursor;        /* that line */
    size_t top;           /* first screen line on show */
    size_t height, total; /* screen lines, as drawn last */
};

void page_init(struct page *page);
void page_release(struct page *page);
void page_clear(struct page *page, bool choosing);
void page_add(struct page *page, enum role role, const char *name, const char *text);
void page_title(struct page *page, const char *title);

void page_step(struct page *page, enum step step); /* of the cursor, else of what is on show */
/* Moves the cursor to what is on that line of the screen, from 0 at the top of the page; false
 * where nothing to choose is. */
bool page_point(struct page *page, int line);
void page_draw(struct page *page, struct terminal *term, const struct band *band, int x, int width);
/* Writes the page anew, which `fill` does, where it was scrolled to. */
void page_refill(struct page *page, void (*fill)(struct ui *ui), struct ui *ui);

#endif
