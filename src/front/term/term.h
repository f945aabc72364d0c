/* The terminal. Curses is known only here and in terminfo.c. Cells are addressed from (0, 0) at the
 * top left; text is cut at the right edge of what it is given. One terminal at a time. */
#ifndef FRONT_TERM_TERM_H
#define FRONT_TERM_TERM_H

#include "base/err.h"
#include "front/term/key.h"
#include "front/term/sequence.h"
#include "front/term/theme.h"

struct terminal;

struct term_options {
    const struct theme *theme; /* needed during term_open only */
    bool ascii;                /* also taken where the locale is not UTF-8 */
    bool no_color;             /* also taken from NO_COLOR (no-color.org) */
    bool mouse; /* K_MOUSE is wanted; the terminal's own selection then needs Shift */
};

/* Takes the terminal on standard input and output over. NULL with a message; the terminal is then
 * as it was. From here to term_close a crash restores it, too. */
struct terminal *term_open(const struct term_options *options, struct err *err);
void term_close(struct terminal *term); /* as it was before; NULL is fine */

void term_suspend(struct terminal *term); /* as it was before, until term_resume */
void term_resume(struct terminal *term);  /* also after a stop without term_suspend */
void term_resize(struct terminal *term);  /* after SIGWINCH: asks the terminal for its size */

int term_width(const struct terminal *term);
int term_height(const struct terminal *term);
bool term_ascii(const struct terminal *term); /* only ASCII may be shown */
/* From the next frame on; a locale that is not UTF-8 leaves no choice. */
void term_set_ascii(struct terminal *term, bool ascii);
int term_colors(const struct terminal *term); /* how many are used; 0: none */

/* Other colours from the next frame on. Only what looks different is written anew. */
void term_set_theme(struct terminal *term, const struct theme *theme);

int term_key(struct terminal *term); /* the next key typed, K_NONE without one; does not wait */
struct mouse term_mouse(const struct terminal *term); /* when that was K_MOUSE */
/* Whether the last key was not typed but pasted: it is then a printable character, a space where
 * the text had another one, and must not be taken for a command. */
bool term_pasted(const struct terminal *term);

/* A frame is begun empty, drawn, and shown with one write of what changed. Nothing waits for the
 * terminal: while it has not taken the frame before, frames are drawn and not written. */
void term_begin(struct terminal *term);
void term_end(struct terminal *term);
void term_repaint(struct terminal *term); /* the next term_end writes everything */

/* The descriptor that is to be polled for POLLOUT, and term_flush called then; -1: nothing waits.
 * The screen then shows the frame that was drawn last. */
int term_waits(const struct terminal *term);
void term_flush(struct terminal *term);

/* Draws text in `width` cells at (y, x); returns the cells it took. What cannot be shown is '?'. */
int term_put(struct terminal *term, int y, int x, int width, enum role role, const char *text);
/* The same, and fills what is left of `width` with spaces. */
void term_field(struct terminal *term, int y, int x, int width, enum role role, const char *text);
/* Shows the cursor there at the next term_end; without this call it is hidden. */
void term_cursor(struct terminal *term, int y, int x);

#endif
