/* The terminal's abilities, from its terminfo entry. One terminal at a time. */
#ifndef FRONT_TERM_TERMINFO_H
#define FRONT_TERM_TERMINFO_H

#include "base/err.h"
#include "base/str.h"
#include "front/term/canvas.h"
#include "front/term/ecma.h"
#include "front/term/theme.h"

struct terminfo {
    struct canvas_terminal canvas; /* its looks are roles */
    struct str clear, clear_line;
    struct look {
        struct appearance appearance;
        struct ecma_look ecma; /* the same, for such a terminal */
    } looks[ROLE_COUNT];
    int colors;   /* 0: use none */
    bool ecma;    /* it follows ECMA-48 */
    bool cancels; /* single attributes can be reset */
    bool bce;     /* erasing gives the background of the current look */
    bool modern;  /* like xterm it ignores private modes that it lacks */
};

/* -1 with a message if TERM names no usable type. */
int terminfo_check(struct err *err);

/* For the terminal that curses has opened. `info` must not move until it is released. */
void terminfo_init(struct terminfo *info, bool color);
void terminfo_release(struct terminfo *info);

void terminfo_set_theme(struct terminfo *info, const struct theme *theme);
void terminfo_size(int *height, int *width); /* if the size is not known otherwise */

/* Add to `out` the sequences that take over the screen, restore it (from any state, also in the
 * middle of a frame), and show or hide the cursor. mouse: report its buttons. */
void terminfo_enter(const struct terminfo *info, bool mouse, struct str *out);
void terminfo_leave(const struct terminfo *info, struct str *out);
void terminfo_show_cursor(bool show, struct str *out);
bool terminfo_has_screens(void); /* there is an alternate screen: leaving shows the old contents */

/* The sequences around a frame that is to be shown at once; "" if the terminal may lack them. */
const char *terminfo_update(const struct terminfo *info, bool begins);

#endif
