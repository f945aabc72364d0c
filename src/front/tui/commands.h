/* The keys of the table and of all panes: one table of commands each, and the list of panes. */
#ifndef FRONT_TUI_COMMANDS_H
#define FRONT_TUI_COMMANDS_H

#include "front/tui/state/keymap.h"
#include "front/tui/state/pane.h"

extern const struct pane pane_table;

/* All commands that keys can have: for keymap_init(). */
extern const struct key_tables commands_keys;

#endif
