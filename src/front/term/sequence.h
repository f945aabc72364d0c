/* Control sequences that terminals send for keys, the mouse and pasted text (ECMA-48; xterm's
 * "Control Sequences"). For terminals that do not send what their terminfo entry says, such as many
 * with TERM=xterm. Pure: bytes come from a function. */
#ifndef FRONT_TERM_SEQUENCE_H
#define FRONT_TERM_SEQUENCE_H

#include "front/term/key.h"

enum mouse_button { MOUSE_LEFT, MOUSE_WHEEL_UP, MOUSE_WHEEL_DOWN };

struct mouse {
    int y, x; /* the cell, from (0, 0) at the top left */
    enum mouse_button button;
};

enum sequence_kind {
    SEQUENCE_OTHER, /* unknown: ignore it */
    SEQUENCE_KEY,
    SEQUENCE_MOUSE,  /* a button was pressed, or the wheel was turned */
    SEQUENCE_PASTE,  /* pasted text begins */
    SEQUENCE_PASTED, /* pasted text ends */
};

struct sequence {
    enum sequence_kind kind;
    int key;            /* of SEQUENCE_KEY */
    struct mouse mouse; /* of SEQUENCE_MOUSE */
};

/* Whether this byte after Esc begins a sequence: '[' (CSI) or 'O' (SS3). */
bool sequence_begins(int byte);

/* Reads the rest of a sequence, also of an unknown one, so that no part of it is taken for typed
 * text. `next` returns the next byte, -1 if there is none. */
struct sequence sequence_read(int introducer, int (*next)(void *ctx), void *ctx);

#endif
