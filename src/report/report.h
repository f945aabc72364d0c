/* Pages on standard output, each of which ends the program. */
#pragma once

#include "cli/definitions.h"
#include "cli/options.h"
#include "front/tui/state/keymap.h"

/* The page of --check. */

/* Tries what can be counted and writes the results: as text, or as one line of JSON. sandbox: also
 * tries that, for which there is no way back. Returns the exit status: 0 hardware counters work, 3
 * only software events do, 1 nothing does, or the check failed (with a message). */
int check_page_write(FILE *out, bool json, bool sandbox, struct err *err);

/* The pages of --demo: the list of workloads, and the self-test. */

/* Writes what each workload teaches, its events, and why they cannot be counted here. */
void demo_page_list(FILE *out, bool json);

/* Checks a workload, or "all", and writes each result when it is known. The exit status: 0, 1 if a
 * check failed, or 2 with a message if there is no such workload. */
int demo_page_verify(FILE *out, const char *name, bool json, struct err *err);

/* The lists of --list-events, --list-screens ... on standard output. */

/* Lists the events that contain all the words of the pattern, by group, with whether each can be
 * counted here, and the reason if not, once for several in a row. Lines are wrapped to the width of
 * a terminal. Returns the exit status: 1, with a message that has the nearest name. */
int lists_events(const struct options *options, struct err *err);
/* Lists the screens that can be counted here, with their events; below each reason those that it
 * prevents; then the names of those for other machines. Tries the events that screens require. */
void lists_screens(const struct screen_list *list);
void lists_columns(const struct definitions *definitions);
void lists_themes(void);
/* Writes a line for each command: pane ("any" for common ones), command, its keys, help. */
void lists_keys(const struct keymap *keymap);
