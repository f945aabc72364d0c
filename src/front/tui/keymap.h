/* Which key means which command. Begins with the default keys of the command table. */
#ifndef FRONT_TUI_KEYMAP_H
#define FRONT_TUI_KEYMAP_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct command; /* command.h */

struct key_binding {
    int key;
    const struct command *command;
};

struct keymap {
    const struct command *commands; /* ends with a command without a name */
    struct key_binding
        *bindings; /* each key once; the keys of a command in the order of its text */
    size_t count, room;
};

void keymap_init(struct keymap *keymap, const struct command *table);
void keymap_release(struct keymap *keymap);

/* Gives the command these keys and no others ("F5 t"; "" for none); other commands lose them. -1
 * with a message, and the keymap as it was, where the command or a key is unknown. */
int keymap_bind(struct keymap *keymap, const char *command, const char *keys, struct err *err);

const struct command *keymap_find(const struct keymap *keymap, int key); /* NULL: none */

/* The command's keys, separated by spaces, the first one alone if `one`; "" when it has none. */
void keymap_keys(const struct keymap *keymap, const struct command *command, bool one, char *buffer,
                 size_t size);

#endif
