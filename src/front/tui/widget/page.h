/* A list over the table: text to read, or lines to choose one from. */
#ifndef FRONT_TUI_WIDGET_PAGE_H
#define FRONT_TUI_WIDGET_PAGE_H

#include "front/term/term.h"
#include "front/tui/widget/layout.h"
#include "front/tui/widget/step.h"

#include <stdbool.h>

struct ui; /* state.h */

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
    size_t top;           /* first screen line that is visible */
    size_t height, total; /* screen lines, as drawn last */
};

void page_init(struct page *page);
void page_release(struct page *page);
void page_clear(struct page *page, bool choosing);
void page_add(struct page *page, enum role role, const char *name, const char *text);
void page_title(struct page *page, const char *title);

void page_step(struct page *page, enum step step); /* of the cursor, else scrolls */
/* Moves the cursor to the entry on that screen line, counted from 0 at the top of the page; false:
 * there is nothing to choose. */
bool page_point(struct page *page, int line);
void page_draw(struct page *page, struct terminal *term, const struct band *band, int x, int width);
/* Writes the page again, which `fill` does, and keeps its cursor and scrolling. */
void page_refill(struct page *page, void (*fill)(struct ui *ui), struct ui *ui);

#endif
