/* The keys of the table and of all panes: a table of commands for each, and the list of panes. */
#ifndef FRONT_TUI_COMMANDS_H
#define FRONT_TUI_COMMANDS_H

#include "front/tui/state/keymap.h"
#include "front/tui/state/pane.h"

extern const struct pane pane_table;

/* All commands that keys can be bound to, for keymap_init(). */
extern const struct key_tables commands_keys;

#endif
