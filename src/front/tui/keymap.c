#include "front/tui/keymap.h"
#include "base/mem.h"
#include "base/str.h"
#include "front/term/key.h"
#include "front/tui/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void keymap_init(struct keymap *keymap)
{
    *keymap = (struct keymap){0};
}

void keymap_release(struct keymap *keymap)
{
    for (size_t i = 0; i < keymap->count; i++) {
        free(keymap->bindings[i].command);
        free(keymap->bindings[i].keys);
    }
    free(keymap->bindings);
    keymap_init(keymap);
}

static const struct command *find_name(const struct command *commands, const char *name)
{
    for (; commands->name; commands++)
        if (strcmp(commands->name, name) == 0)
            return commands;
    return NULL;
}

const struct command *keymap_command(const struct pane *pane, size_t i)
{
    const struct command *command = pane->commands;
    for (; command->name; command++)
        if (i-- == 0)
            return command;
    for (command = common_commands; command->name; command++)
        if (!find_name(pane->commands, command->name) && i-- == 0)
            return command;
    return NULL;
}

/* What was given to the command; NULL: nothing was. */
static const char *given(const struct keymap *keymap, const char *name)
{
    for (size_t i = 0; i < keymap->count; i++)
        if (strcmp(keymap->bindings[i].command, name) == 0)
            return keymap->bindings[i].keys;
    return NULL;
}

/* The next key of a list, K_NONE behind the last; *list moves behind it. */
static int next_key(const char **list)
{
    char name[16];
    *list += strspn(*list, " ");
    size_t length = strcspn(*list, " ");
    if (length == 0)
        return K_NONE;
    snprintf(name, sizeof(name), "%.*s", (int)length, *list);
    *list += length;
    return key_parse(name);
}

static bool has_key(const char *keys, int key)
{
    int next;
    while ((next = next_key(&keys)) != K_NONE)
        if (next == key)
            return true;
    return false;
}

/* The first of the commands that has the key: was it given to it, or is it so by default? */
static const struct command *find_key(const struct keymap *keymap, const struct command *commands,
                                      const struct command *hiding, int key, bool by_default)
{
    for (const struct command *command = commands; command->name; command++) {
        const char *keys = given(keymap, command->name);
        if (by_default == !keys && has_key(keys ? keys : command->keys, key) &&
            !(hiding && find_name(hiding, command->name)))
            return command;
    }
    return NULL;
}

/* What was given comes before what is so by default. */
const struct command *keymap_find(const struct keymap *keymap, const struct pane *pane, int key)
{
    for (int by_default = 0; by_default <= 1; by_default++) {
        const struct command *own = find_key(keymap, pane->commands, NULL, key, by_default);
        const struct command *common =
            own ? NULL : find_key(keymap, common_commands, pane->commands, key, by_default);
        if (own || common)
            return own ? own : common;
    }
    return NULL;
}

void keymap_keys(const struct keymap *keymap, const struct pane *pane,
                 const struct command *command, bool one, char *buffer, size_t size)
{
    const char *keys = given(keymap, command->name);
    struct str text;
    int key;
    str_init(&text);
    if (!keys)
        keys = command->keys;
    while ((key = next_key(&keys)) != K_NONE) {
        char name[16];
        if ((one && text.length > 0) || (pane->types && key_is_text(key)) ||
            keymap_find(keymap, pane, key) != command)
            continue;
        key_spell(key, name, sizeof(name));
        str_printf(&text, "%s%s", text.length > 0 ? " " : "", name);
    }
    snprintf(buffer, size, "%s", text.text);
    str_release(&text);
}

/* --- Other keys than by default --- */

static const char *keymap_name_at(void *ctx, size_t i)
{
    (void)ctx;
    const struct pane *pane;
    for (size_t p = 0; (pane = pane_at(p)); p++)
        for (const struct command *command = pane->commands; command->name; command++)
            if (i-- == 0)
                return command->name;
    for (const struct command *command = common_commands; command->name; command++)
        if (i-- == 0)
            return command->name;
    return NULL;
}

static bool is_command(const char *name)
{
    const char *known;
    for (size_t i = 0; (known = keymap_name_at(NULL, i)); i++)
        if (strcmp(known, name) == 0)
            return true;
    return false;
}

static int check_keys(const char *keys, struct err *err)
{
    char *text = strdupa(keys), *rest = NULL;
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        if (key_parse(word) == K_NONE)
            return err_set(err,
                           "unknown key '%s': expected a character, ^ and a letter, F1 to F12, or "
                           "a name such as Space, Up, PgDn",
                           word);
    return 0;
}

/* The first key of both lists, K_NONE where there is none. */
static int shared_key(const char *keys, const char *others)
{
    int key;
    while ((key = next_key(&keys)) != K_NONE && !has_key(others, key))
        ;
    return key;
}

/* A pane that has both commands, NULL where there is none. */
static const struct pane *shared_pane(const char *name, const char *other)
{
    const struct pane *pane;
    for (size_t p = 0; (pane = pane_at(p)); p++) {
        const struct command *command;
        int found = 0;
        for (size_t i = 0; (command = keymap_command(pane, i)); i++)
            found += strcmp(command->name, name) == 0 || strcmp(command->name, other) == 0;
        if (found == 2)
            return pane;
    }
    return NULL;
}

static int check_others(const struct keymap *keymap, const char *name, const char *keys,
                        struct err *err)
{
    for (size_t i = 0; i < keymap->count; i++) {
        const struct key_binding *other = &keymap->bindings[i];
        int key = strcmp(other->command, name) == 0 ? K_NONE : shared_key(keys, other->keys);
        const struct pane *pane = key == K_NONE ? NULL : shared_pane(name, other->command);
        char text[16];
        if (!pane)
            continue;
        key_spell(key, text, sizeof(text));
        return err_set(err, "the key '%s' is given to '%s' and to '%s', both of the pane '%s'",
                       text, other->command, name, pane->name);
    }
    return 0;
}

int keymap_bind(struct keymap *keymap, const char *name, const char *keys, struct err *err)
{
    if (!is_command(name)) {
        const char *near = str_nearest(name, keymap_name_at, NULL);
        if (near)
            return err_set(err, "unknown command '%s'; did you mean '%s'?", name, near);
        return err_set(err, "unknown command '%s': --list-keys tells all", name);
    }
    if (check_keys(keys, err) < 0 || check_others(keymap, name, keys, err) < 0)
        return -1;
    for (size_t i = 0; i < keymap->count; i++)
        if (strcmp(keymap->bindings[i].command, name) == 0) {
            free(keymap->bindings[i].keys);
            keymap->bindings[i].keys = mem_strdup(keys);
            return 0;
        }
    mem_grow(&keymap->bindings, &keymap->room, keymap->count + 1, sizeof(*keymap->bindings));
    keymap->bindings[keymap->count++] = (struct key_binding){mem_strdup(name), mem_strdup(keys)};
    return 0;
}

int keymap_check(const struct keymap *keymap, struct err *err)
{
    const struct pane *pane;
    const struct command *command;
    for (size_t p = 0; (pane = pane_at(p)); p++)
        for (size_t i = 0; (command = keymap_command(pane, i)); i++) {
            char keys[16];
            if (strcmp(command->name, "back") != 0 && strcmp(command->name, "quit") != 0)
                continue;
            keymap_keys(keymap, pane, command, true, keys, sizeof(keys));
            if (!keys[0])
                return err_set(err, "no key is left for '%s' of the pane '%s'%s", command->name,
                               pane->name,
                               pane->types ? ": where text is typed, characters are none" : "");
        }
    return 0;
}

void keymap_copy(struct keymap *keymap, const struct keymap *other)
{
    mem_grow(&keymap->bindings, &keymap->room, other->count, sizeof(*keymap->bindings));
    for (; keymap->count < other->count; keymap->count++) {
        const struct key_binding *binding = &other->bindings[keymap->count];
        keymap->bindings[keymap->count] =
            (struct key_binding){mem_strdup(binding->command), mem_strdup(binding->keys)};
    }
}
