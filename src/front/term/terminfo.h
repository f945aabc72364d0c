/* What the terminal understands, from its terminfo entry. One terminal at a time. */
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
    int colors;   /* 0: none are to be used */
    bool ecma;    /* it follows ECMA-48 */
    bool cancels; /* single attributes can be ended */
    bool bce;     /* what is erased has the background of the look */
    bool modern;  /* like xterm: private modes that it does not have it ignores */
};

/* -1 with a message where TERM names none that is of use. */
int terminfo_check(struct err *err);

/* Of the terminal that curses was told of. It stays where it is until it is released. */
void terminfo_init(struct terminfo *info, bool color);
void terminfo_release(struct terminfo *info);

void terminfo_set_theme(struct terminfo *info, const struct theme *theme);
void terminfo_size(int *height, int *width); /* where nothing else tells */

/* Adds to `out` what takes the screen over, what gives it back (also after a frame was cut short,
 * and whatever of it was set), and what shows or hides the cursor. `mouse`: its buttons are to be
 * told. */
void terminfo_enter(const struct terminfo *info, bool mouse, struct str *out);
void terminfo_leave(const struct terminfo *info, struct str *out);
void terminfo_show_cursor(bool show, struct str *out);
bool terminfo_has_screens(void); /* giving back shows what there was before */

/* Around a frame that is to be shown as a whole; "" where the terminal may not know it. */
const char *terminfo_update(const struct terminfo *info, bool begins);

#endif
