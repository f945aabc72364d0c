/* Keys: the Unicode value of a character, or a number beyond Unicode. */
#pragma once

#include "base/base.h"

enum key {
    K_NONE = 0,
    K_ESC = 27,
    K_BEYOND = 0x110000, /* first number that is no character */
    K_ENTER,
    K_TAB,
    K_BACKTAB, /* Tab with Shift */
    K_BACKSPACE,
    K_UP,
    K_DOWN,
    K_LEFT,
    K_RIGHT,
    K_HOME,
    K_END,
    K_PAGE_UP,
    K_PAGE_DOWN,
    K_INSERT,
    K_DELETE,
    K_SHIFT_LEFT,
    K_SHIFT_RIGHT,
    K_SHIFT_F3,
    K_MOUSE, /* see term_mouse */
    K_F1,
    K_F12 = K_F1 + 11,
};

static inline int key_control(char letter)
{
    return letter & 0x1f;
}

bool key_is_text(int key); /* a printable character */

/* Writes the name of a key: "a", "F1", "Up", "Space", "^L". */
void key_spell(int key, char *buffer, size_t size);
/* The i-th name of a key that is a word, without F1 to F12 and ^A to ^Z; NULL after the last. */
const char *key_word(size_t i);
/* The key with this name (case matters only for characters), K_NONE if there is none. */
int key_parse(const char *name);

/* Control sequences that terminals send for keys, the mouse and pasted text (ECMA-48; xterm's
 * "Control Sequences"). For terminals that do not send what their terminfo entry says, such as many
 * with TERM=xterm. Pure: bytes come from a function. */

enum mouse_button { MOUSE_LEFT, MOUSE_RIGHT, MOUSE_WHEEL_UP, MOUSE_WHEEL_DOWN };

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
