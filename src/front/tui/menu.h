/* The catalogue of events on the screen: a list that is searched while words are typed, above what
 * there is to say of the entry under the cursor. */
#ifndef FRONT_TUI_MENU_H
#define FRONT_TUI_MENU_H

#include "front/tui/ui.h"

struct menu_row {
    bool title;   /* of the group that begins with the next row */
    size_t entry; /* number in the catalogue; of a title, that of the next row */
};

struct menu {
    struct prompt words;
    struct menu_row *rows;
    size_t count, room, found; /* rows, and entries among them */
    size_t cursor, top;        /* rows; the cursor is never on a title */
    size_t height;             /* rows on show, as drawn last */
    int above;                 /* screen lines above them */
    bool *tried;               /* by entry: whether it counts is known */
    size_t tried_room;
    bool pending;              /* there are some on show of which that is not known yet */
    struct page details;       /* of the entry under the cursor */
    size_t detailed;           /* whose they are; SIZE_MAX: nobody's */
    struct event_set *counted; /* what was counted then; only compared */
};

void menu_open(struct ui *ui);

extern const struct pane pane_menu;

#endif
