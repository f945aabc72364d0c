/* Which key means which command: the default keys of the tables of commands, and what was given
 * instead. */
#ifndef FRONT_TUI_KEYMAP_H
#define FRONT_TUI_KEYMAP_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct command; /* command.h */
struct pane;    /* pane.h */

/* The keys of a command, wherever it is, in place of its default ones. */
struct key_binding {
    char *command, *keys;
};

struct keymap {
    struct key_binding *bindings; /* each command once */
    size_t count, room;
};

void keymap_init(struct keymap *keymap);
void keymap_release(struct keymap *keymap);

/* Gives the command these keys and no others ("F5 t"; "" for none), in every pane that has it;
 * other commands lose them there that have them by default. -1 with a message, and the keymap as it
 * was, where no pane has such a command, a key is unknown, or was given to another command of a
 * pane that has both. */
int keymap_bind(struct keymap *keymap, const char *command, const char *keys, struct err *err);

/* Whether every pane can be left by a key. -1 with a message. */
int keymap_check(const struct keymap *keymap, struct err *err);

/* Takes over what was given in the other one; the keymap is empty before. */
void keymap_copy(struct keymap *keymap, const struct keymap *other);

/* The command that a key means in a pane: one of its own, else a common one; NULL: none. */
const struct command *keymap_find(const struct keymap *keymap, const struct pane *pane, int key);

/* The command's keys in that pane, separated by spaces, the first one alone if `one`; "" when it
 * has none. */
void keymap_keys(const struct keymap *keymap, const struct pane *pane,
                 const struct command *command, bool one, char *buffer, size_t size);

/* The i-th command that can be used in a pane, first its own, then the common ones; NULL behind
 * the last. */
const struct command *keymap_command(const struct pane *pane, size_t i);

#endif
