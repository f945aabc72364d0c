/* The answers to --list-events, --list-columns, --list-themes and --list-keys, on standard output.
 */
#ifndef LISTING_H
#define LISTING_H

#include "front/tui/keymap.h"
#include "library.h"
#include "options.h"

/* The status to end with: 1 with a message where there is none of that name. */
int listing_events(const struct options *options, struct err *err);
void listing_columns(const struct library *library);
void listing_themes(void);
/* A line for each command of each pane: pane, command, its keys, what it does. Those of every pane
 * have the pane "any". */
void listing_keys(const struct keymap *keymap);

#endif
