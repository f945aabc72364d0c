#include "front/tui/state/keymap.h"
#include "base/embed.h"
#include "base/ini.h"
#include "front/tui/state/state.h"

/* What one can press in a pane: first its commands without a key, its own and then common ones of
 * other names; then each key once, the keys of a command in their order. */
struct pane_keys {
    struct key_meaning {
        int key; /* K_NONE: only the command */
        const struct key_command *command;
    } * list;
    size_t count, room;
};

static size_t pane_count(const struct keymap *keymap)
{
    size_t count = 0;
    while (keymap->tables->panes[count])
        count++;
    return count;
}

void keymap_init(struct keymap *keymap, const struct key_tables *tables)
{
    *keymap = (struct keymap){.tables = tables};
    keymap->panes = mem_array(pane_count(keymap) + 1, sizeof(*keymap->panes));
    keymap->texts = mem_alloc(sizeof(*keymap->texts));
}

/* They are made again on the next use. */
static void forget_panes(struct keymap *keymap)
{
    size_t count = pane_count(keymap);
    for (size_t i = 0; i <= count; i++) {
        free(keymap->panes[i].list);
        keymap->panes[i] = (struct pane_keys){0};
    }
}

void keymap_release(struct keymap *keymap)
{
    forget_panes(keymap);
    for (size_t i = 0; i < keymap->count; i++) {
        free(keymap->bindings[i].command);
        free(keymap->bindings[i].keys);
    }
    free(keymap->bindings);
    free(keymap->panes);
    map_free(keymap->texts);
    free(keymap->texts);
}

/* The keys that the user bound to the command; NULL: default keys. */
static const char *given(const struct keymap *keymap, const char *name)
{
    const struct key_binding *binding = STR_FIND(keymap->bindings, keymap->count, command, name);
    return binding ? binding->keys : NULL;
}

/* Returns the next key of a list and advances *list; K_NONE at the end. */
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

static const struct key_command *meaning_of(const struct pane_keys *keys, int key)
{
    for (size_t i = 0; i < keys->count; i++)
        if (keys->list[i].key == key)
            return keys->list[i].command;
    return NULL;
}

static void add_meaning(struct pane_keys *keys, int key, const struct key_command *command)
{
    *MEM_ADD(keys->list, keys->count, keys->room) = (struct key_meaning){key, command};
}

/* Bindings of the user take precedence over defaults, a pane's own commands over common ones. */
static const struct pane_keys *keys_of(const struct keymap *keymap, const struct pane *pane)
{
    const struct key_command *command;
    struct pane_keys *keys = keymap->panes;
    int key;
    for (const struct pane *const *at = keymap->tables->panes; *at && *at != pane; at++)
        keys++;
    if (keys->list)
        return keys;
    for (command = pane->commands; command->name; command++)
        add_meaning(keys, K_NONE, command);
    for (command = keymap->tables->common; command->name; command++)
        if (!STR_FIND(pane->commands, SIZE_MAX, name, command->name))
            add_meaning(keys, K_NONE, command);
    size_t count = keys->count;
    for (int by_default = 0; by_default <= 1; by_default++)
        for (size_t i = 0; i < count; i++) {
            command = keys->list[i].command;
            const char *list = given(keymap, command->name);
            if (by_default != !list)
                continue;
            for (list = list ? list : command->keys; (key = next_key(&list)) != K_NONE;)
                if (!meaning_of(keys, key))
                    add_meaning(keys, key, command);
        }
    return keys;
}

const struct key_command *keymap_command(const struct keymap *keymap, const struct pane *pane,
                                         size_t i)
{
    const struct pane_keys *keys = keys_of(keymap, pane);
    return i < keys->count && keys->list[i].key == K_NONE ? keys->list[i].command : NULL;
}

const struct key_command *keymap_find(const struct keymap *keymap, const struct pane *pane, int key)
{
    return key == K_NONE ? NULL : meaning_of(keys_of(keymap, pane), key);
}

void keymap_keys(const struct keymap *keymap, const struct pane *pane,
                 const struct key_command *command, bool one, char *buffer, size_t size)
{
    const struct pane_keys *keys = keys_of(keymap, pane);
    AUTO_STR struct str text = str_new();
    for (size_t i = 0; i < keys->count && !(one && text.length > 0); i++) {
        const struct key_meaning *meaning = &keys->list[i];
        char name[16];
        if (meaning->command != command || meaning->key == K_NONE ||
            (pane->types && key_is_text(meaning->key)))
            continue;
        key_spell(meaning->key, name, sizeof(name));
        str_printf(&text, "%s%s", text.length > 0 ? " " : "", name);
    }
    snprintf(buffer, size, "%s", text.text);
}

/* --- Texts --- */

static int keymap_take_text(void *ctx, const char *section, const char *name, const char *value,
                            int line UNUSED, struct err *err UNUSED)
{
    AUTO_FREE char *key = mem_printf("%s %s", section, name);
    const char *before = map_get(ctx, str_hash(key));
    char *text = before ? mem_printf("%s %s", before, value) : mem_strdup(value);
    free(map_put(ctx, str_hash(key), text));
    return 0;
}

const char *keymap_text(const struct keymap *keymap, const struct pane *pane, const char *kind,
                        const char *command)
{
    static const char file[] = "keys.conf";
    bool own = STR_FIND(pane->commands, SIZE_MAX, name, command);
    AUTO_FREE char *key = mem_printf("%s %s %s", kind, own ? pane->name : "common", command);
    if (keymap->texts->count == 0)
        ini_read(embedded_text(file), file, NULL, keymap_take_text, keymap->texts, NULL);
    return map_get(keymap->texts, str_hash(key));
}

/* --- Bindings of the user --- */

/* The i-th command name, NULL after the last; ctx: the tables. */
static const char *keymap_name_at(void *ctx, size_t i)
{
    const struct key_tables *tables = ctx;
    const struct key_command *command;
    for (size_t p = 0; tables->panes[p]; p++)
        for (command = tables->panes[p]->commands; command->name; command++)
            if (i-- == 0)
                return command->name;
    for (command = tables->common; command->name; command++)
        if (i-- == 0)
            return command->name;
    return NULL;
}

static bool has_command(const struct keymap *keymap, const struct pane *pane, const char *name)
{
    return STR_FIND(pane->commands, SIZE_MAX, name, name) ||
           STR_FIND(keymap->tables->common, SIZE_MAX, name, name);
}

/* -1 with a message if another command of a pane is bound to one of the keys. */
static int check_others(const struct keymap *keymap, const char *name, const char *keys,
                        struct err *err)
{
    for (size_t i = 0; i < keymap->count; i++) {
        const struct key_binding *other = &keymap->bindings[i];
        const struct pane *const *pane = keymap->tables->panes;
        const char *rest = keys;
        int key;
        char text[16];
        if (strcmp(other->command, name) == 0)
            continue;
        while ((key = next_key(&rest)) != K_NONE && !has_key(other->keys, key))
            ;
        while (*pane &&
               !(has_command(keymap, *pane, name) && has_command(keymap, *pane, other->command)))
            pane++;
        if (key == K_NONE || !*pane)
            continue;
        key_spell(key, text, sizeof(text));
        return err_set(err, "the key '%s' is bound to both '%s' and '%s' in the pane '%s'", text,
                       other->command, name, (*pane)->name);
    }
    return 0;
}

int keymap_bind(struct keymap *keymap, const char *name, const char *keys, struct err *err)
{
    const struct pane *const *pane = keymap->tables->panes;
    while (*pane && !has_command(keymap, *pane, name))
        pane++;
    if (!*pane)
        return err_unknown(err, "unknown command", name,
                           str_nearest(name, keymap_name_at, (void *)keymap->tables),
                           "see --list-keys");
    char *text = strdupa(keys), *rest = NULL;
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        if (key_parse(word) == K_NONE)
            return err_set(err,
                           "unknown key '%s': expected a character, ^ and a letter, F1 to F12, or "
                           "a name such as Space, Up, PgDn",
                           word);
    if (check_others(keymap, name, keys, err) < 0)
        return -1;
    struct key_binding *binding = STR_FIND(keymap->bindings, keymap->count, command, name);
    if (!binding)
        *(binding = MEM_ADD(keymap->bindings, keymap->count, keymap->room)) =
            (struct key_binding){.command = mem_strdup(name)};
    mem_replace(&binding->keys, mem_strdup(keys));
    forget_panes(keymap);
    return 0;
}

int keymap_check(const struct keymap *keymap, struct err *err)
{
    const struct key_command *command;
    for (const struct pane *const *pane = keymap->tables->panes; *pane; pane++)
        for (size_t i = 0; (command = keymap_command(keymap, *pane, i)); i++) {
            char keys[16];
            if (strcmp(command->name, "back") != 0 && strcmp(command->name, "quit") != 0)
                continue;
            keymap_keys(keymap, *pane, command, true, keys, sizeof(keys));
            if (!keys[0])
                return err_set(
                    err, "no key is left for '%s' in the pane '%s'%s", command->name, (*pane)->name,
                    (*pane)->types ? ": where text is typed, characters are not keys" : "");
        }
    return 0;
}
