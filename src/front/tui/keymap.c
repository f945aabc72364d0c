#include "front/tui/keymap.h"
#include "base/mem.h"
#include "base/str.h"
#include "front/tui/command.h"
#include "front/tui/key.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void take_key(struct keymap *keymap, int key)
{
    size_t kept = 0;
    for (size_t i = 0; i < keymap->count; i++)
        if (keymap->bindings[i].key != key)
            keymap->bindings[kept++] = keymap->bindings[i];
    keymap->count = kept;
}

/* Calls take_key for each key and adds it; with a NULL command only looks whether all are keys. */
static int each_key(struct keymap *keymap, const struct command *command, const char *keys,
                    struct err *err)
{
    char *text = strdupa(keys), *rest = NULL;
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        int key = key_parse(word);
        if (key == K_NONE)
            return err_set(err,
                           "unknown key '%s': expected a character, ^ and a letter, F1 to F12, or "
                           "a name such as Space, Up, PgDn",
                           word);
        if (!command)
            continue;
        take_key(keymap, key);
        mem_grow(&keymap->bindings, &keymap->room, keymap->count + 1, sizeof(*keymap->bindings));
        keymap->bindings[keymap->count++] = (struct key_binding){key, command};
    }
    return 0;
}

void keymap_init(struct keymap *keymap, const struct command *table)
{
    *keymap = (struct keymap){.commands = table};
    for (const struct command *command = table; command->name; command++)
        each_key(keymap, command, command->keys, NULL);
}

void keymap_release(struct keymap *keymap)
{
    free(keymap->bindings);
    *keymap = (struct keymap){0};
}

static const char *command_candidate(void *ctx, size_t i)
{
    const struct command *table = ctx;
    return table[i].name;
}

int keymap_bind(struct keymap *keymap, const char *name, const char *keys, struct err *err)
{
    const struct command *command = keymap->commands;
    while (command->name && strcmp(command->name, name) != 0)
        command++;
    if (!command->name) {
        const char *near = str_nearest(name, command_candidate, (void *)keymap->commands);
        if (near)
            return err_set(err, "unknown command '%s'; did you mean '%s'?", name, near);
        return err_set(err, "unknown command '%s': the help (F1) lists them", name);
    }
    if (each_key(keymap, NULL, keys, err) < 0)
        return -1;
    size_t kept = 0;
    for (size_t i = 0; i < keymap->count; i++)
        if (keymap->bindings[i].command != command)
            keymap->bindings[kept++] = keymap->bindings[i];
    keymap->count = kept;
    return each_key(keymap, command, keys, err);
}

const struct command *keymap_find(const struct keymap *keymap, int key)
{
    for (size_t i = 0; i < keymap->count; i++)
        if (keymap->bindings[i].key == key)
            return keymap->bindings[i].command;
    return NULL;
}

void keymap_keys(const struct keymap *keymap, const struct command *command, bool one, char *buffer,
                 size_t size)
{
    struct str text;
    str_init(&text);
    for (size_t i = 0; i < keymap->count; i++) {
        if (keymap->bindings[i].command != command || (one && text.length > 0))
            continue;
        char name[16];
        key_spell(keymap->bindings[i].key, name, sizeof(name));
        str_printf(&text, "%s%s", text.length > 0 ? " " : "", name);
    }
    snprintf(buffer, size, "%s", text.text);
    str_release(&text);
}
