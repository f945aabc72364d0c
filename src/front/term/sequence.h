/* Control sequences that terminals send for keys, the mouse and pasted text (ECMA-48; xterm's
 * "Control Sequences"). For terminals that send others than terminfo says, as many do that call
 * themselves xterm. Pure: bytes come from a function. */
#ifndef FRONT_TERM_SEQUENCE_H
#define FRONT_TERM_SEQUENCE_H

#include "front/term/key.h"

enum mouse_button { MOUSE_LEFT, MOUSE_WHEEL_UP, MOUSE_WHEEL_DOWN };

struct mouse {
    int y, x; /* the cell, from (0, 0) at the top left */
    enum mouse_button button;
};

enum sequence_kind {
    SEQUENCE_OTHER, /* nothing that is known: to be ignored */
    SEQUENCE_KEY,
    SEQUENCE_MOUSE,  /* a button was pressed, or the wheel turned */
    SEQUENCE_PASTE,  /* what follows is pasted text */
    SEQUENCE_PASTED, /* its end */
};

struct sequence {
    enum sequence_kind kind;
    int key;            /* of SEQUENCE_KEY */
    struct mouse mouse; /* of SEQUENCE_MOUSE */
};

/* Whether a sequence begins with Esc and this byte: '[' (CSI) or 'O' (SS3). */
bool sequence_begins(int byte);

/* Reads the rest of a sequence, to its end, lest it be taken for typed text. `next` gives the next
 * byte, -1 when none is there. */
struct sequence sequence_read(int introducer, int (*next)(void *ctx), void *ctx);

#endif
