/* The lists of --list-events, --list-screens, --list-columns, --list-themes and --list-keys, on
 * standard output. */
#ifndef REPORT_LISTS_H
#define REPORT_LISTS_H

#include "cli/definitions.h"
#include "cli/options.h"
#include "front/tui/state/keymap.h"
#include "view/screen.h"

/* Lists the events that contain all the words of the pattern, by group, with whether each can be
 * counted here, and the reason if not, once for several in a row. Lines are wrapped to the width of
 * a terminal. Returns the exit status: 1, with a message that has the nearest name, if there is
 * none. */
int lists_events(const struct options *options, struct err *err);
/* Lists the screens for this machine with their events, and why one cannot be counted; then those
 * for other machines. Tries the events that screens require. */
void lists_screens(const struct screen_list *list);
void lists_columns(const struct definitions *definitions);
void lists_themes(void);
/* Writes a line for each command of each pane: pane, command, its keys, help. Common commands have
 * the pane "any". */
void lists_keys(const struct keymap *keymap);

#endif
