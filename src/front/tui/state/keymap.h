/* Which key means which command: the default keys of the tables of commands, and the keys that the
 * user binds instead. */
#ifndef FRONT_TUI_STATE_KEYMAP_H
#define FRONT_TUI_STATE_KEYMAP_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct key_command; /* pane.h */
struct pane;        /* pane.h */

/* The commands that keys can have. */
struct key_tables {
    const struct pane *const *panes;  /* NULL at the end */
    const struct key_command *common; /* of every pane, unless it has one of the same name */
};

/* The keys of a command, wherever it is, in place of its default ones. */
struct key_binding {
    char *command, *keys;
};

struct keymap {
    const struct key_tables *tables;
    struct key_binding *bindings; /* each command once */
    size_t count, room;
};

void keymap_init(struct keymap *keymap, const struct key_tables *tables);
void keymap_release(struct keymap *keymap);

/* Gives the command these keys and no others ("F5 t"; "" for none), in every pane that has it;
 * other commands lose them there if they have them by default. -1 with a message, and the keymap
 * unchanged: no pane has such a command, a key is unknown, or a pane has another command that the
 * key is bound to. */
int keymap_bind(struct keymap *keymap, const char *command, const char *keys, struct err *err);

/* Whether every pane can be left by a key. -1 with a message. */
int keymap_check(const struct keymap *keymap, struct err *err);

/* The command that a key means in a pane: one of its own, else a common one; NULL: none. */
const struct key_command *keymap_find(const struct keymap *keymap, const struct pane *pane,
                                      int key);

/* The command's keys in that pane, separated by spaces, the first one alone if `one`; "" when it
 * has none. */
void keymap_keys(const struct keymap *keymap, const struct pane *pane,
                 const struct key_command *command, bool one, char *buffer, size_t size);

/* The i-th command that can be used in a pane, first its own, then the common ones; NULL after
 * the last. */
const struct key_command *keymap_command(const struct keymap *keymap, const struct pane *pane,
                                         size_t i);

#endif
