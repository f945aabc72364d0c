/* The answers to --list-events, --list-columns, --list-themes and --list-keys, on standard output.
 */
#ifndef REPORT_LISTING_H
#define REPORT_LISTING_H

#include "cli/definitions.h"
#include "cli/options.h"
#include "front/tui/keymap.h"

/* The status to end with: 1 with a message where there is none of that name. */
int listing_events(const struct options *options, struct err *err);
void listing_columns(const struct definitions *definitions);
void listing_themes(void);
/* A line for each command of each pane: pane, command, its keys, what it does. Those of every pane
 * have the pane "any". */
void listing_keys(const struct keymap *keymap);

#endif
