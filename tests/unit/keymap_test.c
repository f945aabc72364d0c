#include "base/embed.h"
#include "base/ini.h"
#include "cli/options.h"
#include "front/term/key.h"
#include "front/tui/pane/panes.h"
#include "front/tui/state/keymap.h"
#include "front/tui/tui.h"
#include "unit/test.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>

/* The command that has the key by default; NULL. */
static const struct key_command *owner_of(const struct key_command *commands, int key)
{
    for (; commands->name; commands++) {
        char text[128], *rest = NULL;
        snprintf(text, sizeof(text), "%s", commands->keys);
        for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
            if (key_parse(word) == key)
                return commands;
    }
    return NULL;
}

static const struct key_command *named(const struct key_command *commands, const char *name)
{
    while (commands->name && strcmp(commands->name, name) != 0)
        commands++;
    return commands->name ? commands : NULL;
}

/* Fails for each key that a command of the table loses: to another one of the same table, or,
 * unless its row says so, of a pane. */
static void check_keys(const char *pane, const struct key_command *commands)
{
    const struct key_command *common = commands_keys.common;
    for (const struct key_command *command = commands; command->name; command++) {
        char text[128], *rest = NULL;
        bool hides = false;
        snprintf(text, sizeof(text), "%s", command->keys);
        for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
            int key = key_parse(word);
            const struct key_command *first = owner_of(commands, key);
            const struct key_command *hidden = owner_of(common, key);
            if (key == K_NONE)
                fail_msg("%s: '%s' is no key", pane, word);
            if (first != command)
                fail_msg("%s: both '%s' and '%s' have '%s'", pane, first->name, command->name,
                         word);
            if (commands == common || !hidden || named(commands, hidden->name))
                continue; /* the pane has a command of that name, with keys of its own */
            if (!command->hides || strcmp(command->hides, hidden->name) != 0)
                fail_msg("%s: '%s' of '%s' hides '%s', and its row does not say so", pane, word,
                         command->name, hidden->name);
            hides = true;
        }
        if (command->hides && !hides)
            fail_msg("%s: '%s' hides no key of '%s'", pane, command->name, command->hides);
    }
}

static void each_key_once(void **state)
{
    for (const struct pane *const *pane = commands_keys.panes; *pane; pane++)
        check_keys((*pane)->name, (*pane)->commands);
    check_keys("any", commands_keys.common);
}

/* keys.conf names commands that there are, and has help for the first one of each pane. */
static int command_named(void *ctx, const char *section, const char *name, const char *value,
                         int line, struct err *err)
{
    const struct pane *const *pane = commands_keys.panes;
    while (*pane && strcmp((*pane)->name, strchr(section, ' ') + 1) != 0)
        pane++;
    if (!named(*pane ? (*pane)->commands : commands_keys.common, name) && strcmp(name, "ascii"))
        fail_msg("keys.conf:%d: no command '%s' in [%s]", line, name, section);
    return 0;
}

static void texts_named(void **state)
{
    struct keymap keymap;
    keymap_init(&keymap, &commands_keys);
    assert_int_equal(
        ini_read(embedded_text("keys.conf"), "", NULL, command_named, NULL, &(struct err){0}), 0);
    for (const struct pane *const *pane = commands_keys.panes; *pane; pane++)
        assert_non_null(keymap_text(&keymap, *pane, "help", (*pane)->commands->name));
    keymap_release(&keymap);
}

/* The table of options names options and formats there are. */
static void options_named(void **state)
{
    static const char others[] = " -- recordings commands ";
    for (const struct option_spec *spec = option_specs; spec->name; spec++)
        for (size_t i = 0; i < sizeof(spec->needs) / sizeof(*spec->needs) +
                                   sizeof(spec->excludes) / sizeof(*spec->excludes);
             i++) {
            size_t needs = sizeof(spec->needs) / sizeof(*spec->needs);
            const char *name = i < needs ? spec->needs[i] : spec->excludes[i - needs];
            const struct format *format = formats;
            while (name && format->name &&
                   (strncmp(name, "format=", 7) != 0 || strcmp(format->name, name + 7) != 0))
                format++;
            if (name && !format->name && !strstr(others, name) && !option_find(name))
                fail_msg("--%s names '%s'", spec->name, name);
        }
}

static int begin(void **state)
{
    setlocale(LC_ALL, "C.UTF-8");
    return 0;
}
