/* The terminal front end: the whole screen and its keys. Nothing in it blocks: a prompt is a state
 * of the screen, and frames arrive while it is open. */
#pragma once

#include "front/tui/state/keymap.h"
#include "front/tui/state/state.h"

/* The keys of the table and of all panes: a table of commands for each, and the list of panes. */

extern const struct pane pane_table;

/* All commands that keys can be bound to, for keymap_init(). */
extern const struct key_tables commands_keys;

struct tui_options {
    enum front_bars bars;
    const char *theme;           /* as for theme_load; NULL: the default */
    bool ascii;                  /* ASCII only; always so if the locale is not UTF-8 */
    bool no_color;               /* attributes only; also with a NO_COLOR that is not empty */
    bool ranks;                  /* rows become commands when the command has ended */
    bool mouse;                  /* report clicks and the wheel to countertop */
    const struct keymap *keymap; /* bindings of the user */
    const struct metric_set *metric_set; /* totals in the header */
    const struct session *session;       /* until the first frame brings its own */
};

/* view, host, and pointers in options must outlive the front. NULL with a message: the theme or the
 * terminal cannot be used. Only start changes the terminal. */
struct front *tui_new(struct view *view, struct host *host, const struct tui_options *options,
                      struct err *err);
