/* All commands of the terminal with their keys, by pane, for lists of keys. */
#ifndef CLI_KEYLIST_H
#define CLI_KEYLIST_H

#include "front/tui/state/keymap.h"

struct key_line {
    const char *pane;    /* its name; "any": a common command */
    const char *title;   /* "In the catalogue of events" */
    const char *command; /* its name */
    const char *keys;    /* separated by spaces, "" for none */
    const char *help;
    bool joined; /* shares the help of the line before */
};

/* Calls take for each; texts are valid during the call only. */
void keylist_each(const struct keymap *keymap, void (*take)(void *ctx, const struct key_line *line),
                  void *ctx);

#endif
