/* The lists of --list-events, --list-screens, --list-columns, --list-themes and --list-keys, on
 * standard output. */
#ifndef REPORT_LISTS_H
#define REPORT_LISTS_H

#include "cli/definitions.h"
#include "cli/options.h"
#include "front/tui/state/keymap.h"
#include "view/screen.h"

/* The events that contain all the words of the pattern, group by group, each with whether it counts
 * here, and the reason why not, once for several in a row. Lines are broken to the width of a
 * terminal. Returns the exit status: 1, with a message that has the nearest name, if there is none.
 */
int lists_events(const struct options *options, struct err *err);
/* The screens for this machine with their events, and why one cannot be counted; then those for
 * other machines. Tries the events that screens require. */
void lists_screens(const struct screen_list *list);
void lists_columns(const struct definitions *definitions);
void lists_themes(void);
/* A line for each command of each pane: pane, command, its keys, what it does. Those of every pane
 * have the pane "any". */
void lists_keys(const struct keymap *keymap);

#endif
