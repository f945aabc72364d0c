/* The mouse: what is where on the screen, and what a press there does. */
#ifndef FRONT_TUI_MOUSE_H
#define FRONT_TUI_MOUSE_H

#include "front/term/sequence.h"
#include "front/tui/layout.h"
#include "front/tui/line.h"

struct command; /* command.h */
struct pane;    /* pane.h */
struct ui;      /* ui.h */

/* A key in the line of keys. */
struct key_spot {
    int x, width;
    const struct command *command;
};

/* Where things are, as drawn last, and where the mouse was pressed last. */
struct pointer {
    const struct pane *pane;        /* that was uppermost then; NULL: nothing was drawn */
    struct band titles, main, keys; /* main: the uppermost pane that is more than a line */
    struct key_spot spots[LINE_PIECES];
    size_t spot_count;
    int y;            /* of the last press */
    uint64_t pressed; /* when: clock_monotonic() */
};

/* A press, or a turn of the wheel. A key in the line of keys does what it does; all else is for the
 * uppermost pane. A wheel moves as three steps do. */
void mouse_press(struct ui *ui, const struct mouse *mouse);

#endif
