/* Maps keys to commands: the default keys from the tables of commands, and the user's bindings. */
#pragma once

#include "base/base.h"

struct key_command; /* state.h */
struct pane;        /* state.h */

/* All commands that keys can be bound to. */
struct key_tables {
    const struct pane *const *panes;  /* ends with NULL */
    const struct key_command *common; /* for every pane that has no command of the same name */
};

/* Keys of a command in all panes; they replace its default keys. */
struct key_binding {
    char *command, *keys;
};

struct keymap {
    const struct key_tables *tables;
    struct key_binding *bindings; /* at most one per command */
    size_t count, room;
    struct pane_keys *panes; /* one for each pane, and one for all others; each made on first use */
    struct map *texts;       /* what keys.conf says, read on first use */
};

void keymap_init(struct keymap *keymap, const struct key_tables *tables);
void keymap_release(struct keymap *keymap);

/* Binds these keys and no others to the command ("F5 t"; "" for none) in every pane that has it.
 * Other commands of these panes lose them as default keys. -1 with a message, and the keymap
 * unchanged: no pane has such a command, a key is unknown, or bound to another one in a pane. */
int keymap_bind(struct keymap *keymap, const char *command, const char *keys, struct err *err);

/* -1 with a message if a pane has no key that closes it. */
int keymap_check(const struct keymap *keymap, struct err *err);

/* The command of a key in a pane: the pane's own, else a common one; NULL: none. */
const struct key_command *keymap_find(const struct keymap *keymap, const struct pane *pane,
                                      int key);

/* What front/tui/keys.conf says of a pane's command, or of a common one: "help", "group", "state"
 * or "tour"; NULL: nothing. Valid as long as the keymap. */
const char *keymap_text(const struct keymap *keymap, const struct pane *pane, const char *kind,
                        const char *command);

/* Writes the command's keys in that pane, separated by spaces; with `one` the first; or "". */
void keymap_keys(const struct keymap *keymap, const struct pane *pane,
                 const struct key_command *command, bool one, char *buffer, size_t size);

/* The i-th command of a pane: first its own, then the common ones; NULL after the last. */
const struct key_command *keymap_command(const struct keymap *keymap, const struct pane *pane,
                                         size_t i);
