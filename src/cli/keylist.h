/* All commands of the terminal with their keys, pane by pane: what lists of keys are made of. */
#ifndef CLI_KEYLIST_H
#define CLI_KEYLIST_H

#include "front/tui/state/keymap.h"

struct key_line {
    const char *pane;    /* its name; "any": the command is of every pane */
    const char *title;   /* "In the catalogue of events" */
    const char *command; /* its name */
    const char *keys;    /* separated by spaces, "" where it has none */
    const char *help;
    bool joined; /* it shares the help of the line before */
};

/* Calls take for each; texts live for the call only. */
void keylist_each(const struct keymap *keymap, void (*take)(void *ctx, const struct key_line *line),
                  void *ctx);

#endif
