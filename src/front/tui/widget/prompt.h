/* An editable line of text. */
#ifndef FRONT_TUI_WIDGET_PROMPT_H
#define FRONT_TUI_WIDGET_PROMPT_H

#include "base/str.h"
#include "front/term/term.h"
#include "front/tui/widget/layout.h"

struct prompt {
    struct str text; /* valid UTF-8 without control characters */
    size_t cursor;   /* in bytes, at the beginning of a character or at the end */
};

enum prompt_outcome {
    PROMPT_EDITED,    /* the text or the cursor may have changed */
    PROMPT_ENTERED,   /* Enter */
    PROMPT_CANCELLED, /* Esc */
    PROMPT_UNKNOWN,   /* a key that the prompt does not handle */
};

enum { PROMPT_LIMIT = 1000 }; /* bytes */

void prompt_init(struct prompt *prompt);
void prompt_release(struct prompt *prompt);
void prompt_set(struct prompt *prompt, const char *text); /* cursor at its end; NULL: empty */
enum prompt_outcome prompt_key(struct prompt *prompt, int key);

/* Scrolls so that the cursor is visible in `width` cells: *first receives the first byte to draw;
 * returns the cell of the cursor. */
int prompt_visible(const struct prompt *prompt, int width, size_t *first);

/* Draws the label with its separator, then the text, or a hint if it is empty. typing: the prompt
 * has the keyboard, so the cursor is drawn. */
void prompt_draw(const struct prompt *prompt, struct terminal *term, struct box at,
                 const char *label, const char *hint, bool typing);

#endif
