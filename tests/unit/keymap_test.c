#include "cli/options.h"
#include "front/term/key.h"
#include "front/tui/pane/panes.h"
#include "front/tui/state/keymap.h"
#include "front/tui/tui.h"
#include "unit/test.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>

static const char *command_of(const struct keymap *keymap, int key)
{
    const struct key_command *command = keymap_find(keymap, &pane_table, key);
    return command ? command->name : "";
}

static const struct key_command *command_named(const struct keymap *keymap, const struct pane *pane,
                                               const char *name)
{
    const struct key_command *command;
    for (size_t i = 0; (command = keymap_command(keymap, pane, i)); i++)
        if (strcmp(command->name, name) == 0)
            return command;
    return NULL;
}

static const char *keys_of(const struct keymap *keymap, const struct pane *pane, const char *name,
                           bool one)
{
    static char keys[64];
    keymap_keys(keymap, pane, command_named(keymap, pane, name), one, keys, sizeof(keys));
    return keys;
}

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

/* The table of options names options and formats there are. */
static void options_named(void **state)
{
    static const char others[] = " -- recordings commands ";
    const struct option_spec *spec;
    for (size_t s = 0; (spec = option_at(s)); s++)
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

static void names_and_codes(void **state)
{
    static const char *const names[] = {"a",     "Z",   "?",  "\\",  "^L",    "^A", "Esc",
                                        "Enter", "F1",  "F9", "F12", "Space", "Up", "PgDn",
                                        "Home",  "Tab", "^",  "F",   "Delete"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        int key = key_parse(names[i]);
        char name[16];
        assert_int_not_equal(key, K_NONE);
        key_spell(key, name, sizeof(name));
        assert_string_equal(name, names[i]);
    }
    assert_int_equal(key_parse("pgdn"), K_PAGE_DOWN);
    assert_int_equal(key_parse("f10"), K_F1 + 9);
    assert_int_equal(key_parse("F13"), K_NONE);
    assert_int_equal(key_parse("F0"), K_NONE);
    assert_int_equal(key_parse(""), K_NONE);
    assert_int_equal(key_parse("ab"), K_NONE);
    assert_int_equal(key_parse("^l"), K_NONE);
    assert_int_equal(key_parse("\xff"), K_NONE);
    assert_int_equal(key_parse("é"), 0xe9);
}

static void defaults(void **state)
{
    struct keymap keymap;
    keymap_init(&keymap, &commands_keys);
    assert_string_equal(command_of(&keymap, 'q'), "quit");
    assert_string_equal(command_of(&keymap, K_F1 + 9), "quit");
    assert_string_equal(command_of(&keymap, '\\'), "filter");
    assert_string_equal(command_of(&keymap, key_control('L')), "repaint");
    assert_string_equal(command_of(&keymap, K_UP), "up");
    assert_string_equal(command_of(&keymap, key_control('Y')), "");
    assert_string_equal(keys_of(&keymap, &pane_table, "quit", false), "q F10");
    assert_string_equal(keys_of(&keymap, &pane_table, "quit", true), "q");
    /* Its own command comes before the common one of the same name, and of the same key. */
    assert_string_equal(keys_of(&keymap, &pane_table, "help", false), "F1 h ?");
    assert_string_equal(keys_of(&keymap, &pane_help, "left", false), "Left h");
    assert_ptr_equal(keymap_find(&keymap, &pane_help, 'q'),
                     command_named(&keymap, &pane_help, "back"));
    /* Where text is typed, characters are text. */
    assert_string_equal(keys_of(&keymap, &pane_menu, "up", false), "Up");
    keymap_release(&keymap);
}

static void binding_replaces(void **state)
{
    struct keymap keymap;
    struct err err = {""};
    keymap_init(&keymap, &commands_keys);
    assert_int_equal(keymap_bind(&keymap, "filter", "q F5", &err), 0);
    assert_string_equal(command_of(&keymap, 'q'), "filter");
    assert_string_equal(command_of(&keymap, K_F1 + 4), "filter");
    assert_string_equal(command_of(&keymap, '\\'), "");
    assert_string_equal(command_of(&keymap, K_F1 + 9), "quit");
    assert_string_equal(keys_of(&keymap, &pane_table, "quit", false), "F10");
    assert_int_equal(keymap_bind(&keymap, "filter", "", &err), 0);
    assert_string_equal(command_of(&keymap, 'q'), "quit");
    assert_string_equal(keys_of(&keymap, &pane_table, "filter", false), "");
    /* In every pane that has it. */
    assert_int_equal(keymap_bind(&keymap, "back", "^X", &err), 0);
    assert_string_equal(keys_of(&keymap, &pane_menu, "back", false), "^X");
    assert_string_equal(keys_of(&keymap, &pane_details, "back", false), "^X");
    assert_int_equal(keymap.count, 2);
    keymap_release(&keymap);
}

static void binding_errors(void **state)
{
    struct keymap keymap;
    struct err err = {""};
    keymap_init(&keymap, &commands_keys);
    assert_int_equal(keymap_bind(&keymap, "fliter", "^Y", &err), -1);
    assert_string_equal(err.text, "unknown command 'fliter': did you mean 'filter'?");
    assert_int_equal(keymap_bind(&keymap, "filter", "^Y Foo", &err), -1);
    assert_non_null(strstr(err.text, "unknown key 'Foo'"));
    assert_string_equal(command_of(&keymap, key_control('Y')), "");
    assert_string_equal(command_of(&keymap, '\\'), "filter");
    keymap_release(&keymap);
}

/* In a pane every default key of an own command means that command, and every one is a key. */
static void check_commands(const struct keymap *keymap, const struct pane *pane,
                           const struct key_command *commands)
{
    assert_non_null(commands[0].help);
    for (const struct key_command *command = commands; command->name; command++) {
        assert_non_null(command->run);
        char *text = strdupa(command->keys), *rest = NULL, *word = strtok_r(text, " ", &rest);
        assert_non_null(word);
        for (; word; word = strtok_r(NULL, " ", &rest)) {
            int key = key_parse(word);
            assert_int_not_equal(key, K_NONE);
            assert_false(pane && pane->types && key_is_text(key));
            if (pane)
                assert_ptr_equal(keymap_find(keymap, pane, key), command);
        }
    }
}

static void the_commands(void **state)
{
    struct keymap keymap;
    keymap_init(&keymap, &commands_keys);
    const struct pane *pane;
    for (size_t i = 0; (pane = commands_keys.panes[i]); i++) {
        check_commands(&keymap, pane, pane->commands);
        /* Each can be left, and tells its keys. */
        assert_non_null(keymap_find(&keymap, pane, K_F1));
        if (pane != &pane_table)
            assert_string_equal(keymap_find(&keymap, pane, K_ESC)->name, "back");
    }
    check_commands(&keymap, NULL, commands_keys.common);
    /* What fingers know (peers): htop's meaning, else top's. */
    static const struct {
        int key;
        const char *command;
    } known[] = {
        {'q', "quit"},        {K_F1 + 9, "quit"},      {'h', "help"},        {'?', "help"},
        {K_F1, "help"},       {'H', "threads"},        {'<', "sort-left"},   {'>', "sort-right"},
        {K_F1 + 5, "sort"},   {'I', "sort-invert"},    {'P', "sort-cpu"},    {'i', "idle"},
        {'c', "cmdline"},     {'d', "delay"},          {'s', "delay"},       {'r', "refresh"},
        {'Z', "pause"},       {'/', "search"},         {K_F1 + 2, "search"}, {'\\', "filter"},
        {K_F1 + 3, "filter"}, {'v', "cpus"},           {'R', "sort-invert"}, {'L', "search"},
        {K_ENTER, "details"}, {'L' & 0x1f, "repaint"},
    };
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        assert_string_equal(command_of(&keymap, known[i].key), known[i].command);
    keymap_release(&keymap);
}

static int begin(void **state)
{
    setlocale(LC_ALL, "C.UTF-8");
    return 0;
}
