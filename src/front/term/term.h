/* The terminal. Cells are addressed from (0, 0) at the
 * top left; text is cut at the right edge of its width. One terminal at a time. */
#pragma once

#include "front/term/key.h"
#include "front/term/theme.h"

struct terminal;

struct term_options {
    const struct theme *theme; /* needed during term_open only */
    bool ascii;                /* also set if the locale is not UTF-8 */
    bool no_color;             /* also set by NO_COLOR (no-color.org) */
    bool mouse;                /* report K_MOUSE; the terminal's own selection then needs Shift */
};

/* Finds out what the terminal on standard input and output can do. NULL with a message. */
struct terminal *term_open(const struct term_options *options, struct err *err);
/* Takes it over: until term_close() a crash restores it, too. -1 with a message. */
int term_start(struct terminal *term, struct err *err);
void term_close(struct terminal *term); /* restores it; NULL is fine */

void term_suspend(struct terminal *term); /* restores it until term_resume */
void term_resume(struct terminal *term);  /* also after a stop without term_suspend */
void term_resize(struct terminal *term);  /* after SIGWINCH: reads the terminal's size */

int term_width(const struct terminal *term);
int term_height(const struct terminal *term);
/* Marks and pictures have to be ASCII; on the Linux console text may be more. */
bool term_ascii(const struct terminal *term);
/* From the next frame on; no effect if the locale is not UTF-8. */
void term_set_ascii(struct terminal *term, bool ascii);
/* The terminal that it is taken for, since terminfo does not know TERM; NULL. */
const char *term_instead(const struct terminal *term);
int term_colors(const struct terminal *term); /* how many are used; 0: none */

/* From the next frame on. */
void term_set_theme(struct terminal *term, const struct theme *theme);

int term_key(struct terminal *term); /* the next key, K_NONE if there is none; does not wait */
bool term_gone(const struct terminal *term); /* hung up: no key will come, and nobody sees it */
struct mouse term_mouse(const struct terminal *term); /* after K_MOUSE */
/* Whether the last key was pasted: a printable character, or a space, but never a command. */
bool term_pasted(const struct terminal *term);

/* A frame begins empty, is drawn, and is shown with one write of what changed. Nothing waits for
 * the terminal: until it has taken a frame, further frames are drawn but not written. */
void term_begin(struct terminal *term);
void term_end(struct terminal *term);
void term_repaint(struct terminal *term); /* the next term_end writes everything */

/* Puts text into the clipboard of the terminal (OSC 52), also over ssh, with the next frame. False:
 * the terminal may not take such sequences. Whether it allows that, nobody knows. */
bool term_copy(struct terminal *term, const char *text);

/* The descriptor to poll for POLLOUT before term_flush; -1: no output waits. */
int term_waits(const struct terminal *term);
void term_flush(struct terminal *term);

/* What is drawn from here on in this frame is that many cells further to the right. */
void term_origin(struct terminal *term, int x);
/* Draws text in `width` cells at (y, x), unprintable characters as '?'; returns its cells. */
int term_put(struct terminal *term, int y, int x, int width, enum role role, const char *text);
/* The same, and fills the rest of `width` with spaces. */
void term_field(struct terminal *term, int y, int x, int width, enum role role, const char *text);
/* Says what line y shows, by a number that is its alone: the terminal moves the line where it
 * stands in another place next time, if that takes fewer bytes. */
void term_line(struct terminal *term, int y, uint64_t thing);
/* Shows the cursor there at the next term_end, which else hides it. */
void term_cursor(struct terminal *term, int y, int x);
