/* The answers to --list-events, --list-columns, --list-themes and --list-keys, on standard output.
 */
#ifndef REPORT_LISTS_H
#define REPORT_LISTS_H

#include "cli/definitions.h"
#include "cli/options.h"
#include "front/tui/state/keymap.h"

/* The status to end with: 1 with a message where there is none of that name. */
int lists_events(const struct options *options, struct err *err);
void lists_columns(const struct definitions *definitions);
void lists_themes(void);
/* A line for each command of each pane: pane, command, its keys, what it does. Those of every pane
 * have the pane "any". */
void lists_keys(const struct keymap *keymap);

#endif
