/* The manual page, man(7): the text of countertop.1.in, with options, settings, keys and roles of
 * themes from the program's tables. */
#pragma once

#include "cli/options.h"
#include "front/tui/state/keymap.h"

/* The result does not depend on the machine or the user: it has the default keys. */
void manual_write(FILE *out);

/* All commands of the terminal with their keys, by pane, for lists of keys. */

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

/* Hand-written texts with marks, which are replaced by text from the program's tables. */

struct man_template_part {
    const char *mark; /* "@OPTIONS@" */
    /* Writes the replacement: whole lines, with their indentation, if the mark is alone on its
     * line, else a part of a line. */
    void (*write)(FILE *out);
};

/* Writes the embedded text of that name (base/embed.h). A line has at most one mark; parts end with
 * one without a mark. */
void man_template_write(FILE *out, const char *name, const struct man_template_part *parts);

/* Completion for shells, generated from the table of options: the scripts call the program to list
 * names of screens, themes, columns and events. */

void completion_write(FILE *out, enum shell shell);
