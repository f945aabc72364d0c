/* The terminal front end: the screen as a whole and its keys. Nothing in it blocks: a prompt is a
 * state of the screen, and frames go on arriving while it is open. */
#ifndef FRONT_TUI_TUI_H
#define FRONT_TUI_TUI_H

#include "front/host.h"

struct tui_options {
    enum front_bars bars;
    const char *theme; /* as theme_load takes it; NULL: the default */
    bool ascii;        /* only ASCII on the screen; also without it where the locale is not UTF-8 */
    bool no_color;     /* attributes only; so does NO_COLOR, if it is not empty */
    bool mouse;        /* clicks and the wheel are for countertop, not for the terminal */
    const struct keymap *keymap;         /* other keys than by default */
    const struct metric_set *metric_set; /* for the totals in the header; may be NULL */
    const struct session *session;       /* until the first frame brings its own; may be NULL */
};

/* view, host, and what the options point at outlive the front. Never NULL: a wrong theme is found
 * by start, before it touches the screen (theme_check in theme.h finds it earlier). */
struct front *tui_new(struct view *view, struct host *host, const struct tui_options *options);

#endif
