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

enum { PROMPT_LIMIT = 1000 }; /* bytes */

/* Its text is that of str_new() first, and its owner's to release. */
void prompt_set(struct prompt *prompt, const char *text); /* cursor at its end; NULL: empty */
bool prompt_key(struct prompt *prompt, int key);          /* false: it is no key that edits */

/* Scrolls to the cursor: *first receives the first byte to draw; returns the cursor's cell. */
int prompt_visible(const struct prompt *prompt, int width, size_t *first);

/* Draws the label with its separator, then the text, or a hint if it is empty. typing: the prompt
 * has the keyboard, so the cursor is drawn. */
void prompt_draw(const struct prompt *prompt, struct terminal *term, struct box at,
                 const char *label, const char *hint, bool typing);

#endif
