/* Short sequences for movements and looks on terminals that follow ECMA-48 as the VT100 did, which
 * nearly all do. Pure. */
#ifndef FRONT_TERM_ECMA_H
#define FRONT_TERM_ECMA_H

#include "base/str.h"

#include <stdbool.h>

struct ecma_look {
    unsigned attributes; /* of style_attribute in theme.h */
    /* Parameters of SGR for the colours, as "38;5;208"; "" for the terminal's own. */
    char foreground[32], background[32];
};

/* Moves the cursor; from_x -1: its position is not known. */
void ecma_move(struct str *out, int from_y, int from_x, int y, int x);

/* from NULL: not known. cancels: single attributes and colours can be reset (22 to 27, 39 and 49);
 * a VT100 can only reset all of them. */
void ecma_look(struct str *out, bool cancels, const struct ecma_look *from,
               const struct ecma_look *to);

#endif
