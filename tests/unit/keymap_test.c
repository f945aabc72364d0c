#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "front/tui/command.h"
#include "front/tui/key.h"
#include "front/tui/keymap.h"

#include <locale.h>
#include <string.h>

static void nothing(struct ui *ui)
{
    (void)ui;
}

static const struct command table[] = {
    {"quit", "q F10", "quit", 1, "leave", nothing},
    {"filter", "F4 \\", NULL, 0, "filter", nothing},
    {"repaint", "^L", NULL, 0, "draw anew", nothing},
    {0},
};

static const char *command_of(const struct keymap *keymap, int key)
{
    const struct command *command = keymap_find(keymap, key);
    return command ? command->name : "";
}

static void names_and_codes(void **state)
{
    (void)state;
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
    (void)state;
    struct keymap keymap;
    keymap_init(&keymap, table);
    assert_string_equal(command_of(&keymap, 'q'), "quit");
    assert_string_equal(command_of(&keymap, K_F1 + 9), "quit");
    assert_string_equal(command_of(&keymap, '\\'), "filter");
    assert_string_equal(command_of(&keymap, key_control('L')), "repaint");
    assert_string_equal(command_of(&keymap, 'x'), "");
    char keys[32];
    keymap_keys(&keymap, &table[0], false, keys, sizeof(keys));
    assert_string_equal(keys, "q F10");
    keymap_keys(&keymap, &table[0], true, keys, sizeof(keys));
    assert_string_equal(keys, "q");
    keymap_release(&keymap);
}

static void binding_replaces(void **state)
{
    (void)state;
    struct keymap keymap;
    struct err err = {""};
    keymap_init(&keymap, table);
    assert_int_equal(keymap_bind(&keymap, "filter", "q F5", &err), 0);
    assert_string_equal(command_of(&keymap, 'q'), "filter");
    assert_string_equal(command_of(&keymap, K_F1 + 4), "filter");
    assert_string_equal(command_of(&keymap, '\\'), "");
    assert_string_equal(command_of(&keymap, K_F1 + 9), "quit");
    assert_int_equal(keymap_bind(&keymap, "filter", "", &err), 0);
    assert_string_equal(command_of(&keymap, 'q'), "");
    char keys[32];
    keymap_keys(&keymap, &table[1], false, keys, sizeof(keys));
    assert_string_equal(keys, "");
    keymap_release(&keymap);
}

static void binding_errors(void **state)
{
    (void)state;
    struct keymap keymap;
    struct err err = {""};
    keymap_init(&keymap, table);
    assert_int_equal(keymap_bind(&keymap, "fliter", "x", &err), -1);
    assert_string_equal(err.text, "unknown command 'fliter'; did you mean 'filter'?");
    assert_int_equal(keymap_bind(&keymap, "filter", "x Foo", &err), -1);
    assert_non_null(strstr(err.text, "unknown key 'Foo'"));
    assert_string_equal(command_of(&keymap, 'x'), "");
    assert_string_equal(command_of(&keymap, '\\'), "filter");
    keymap_release(&keymap);
}

/* The real table: no key twice, every key a key, every command with a help of its own or shared. */
static void the_commands(void **state)
{
    (void)state;
    struct keymap keymap;
    keymap_init(&keymap, commands);
    size_t keys = 0;
    assert_non_null(commands[0].help);
    for (const struct command *command = commands; command->name; command++) {
        const char *text = command->keys;
        assert_non_null(command->run);
        assert_true(text[0]);
        for (keys++; *text; text++)
            keys += *text == ' ';
    }
    assert_int_equal(keymap.count, keys);
    /* What fingers know (peers): htop's meaning, else top's. */
    static const struct {
        int key;
        const char *command;
    } known[] = {
        {'q', "quit"},        {K_F1 + 9, "quit"},      {'h', "help"},        {'?', "help"},
        {K_F1, "help"},       {'H', "threads"},        {'<', "sort-left"},   {'>', "sort-right"},
        {K_F1 + 5, "sort"},   {'I', "sort-invert"},    {'P', "sort-cpu"},    {'i', "idle"},
        {'c', "cmdline"},     {'d', "delay"},          {'s', "delay"},       {' ', "refresh"},
        {'Z', "pause"},       {'/', "search"},         {K_F1 + 2, "search"}, {'\\', "filter"},
        {K_F1 + 3, "filter"}, {'1', "cpus"},           {'R', "sort-invert"}, {'L', "search"},
        {K_ENTER, "details"}, {'L' & 0x1f, "repaint"},
    };
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        assert_string_equal(command_of(&keymap, known[i].key), known[i].command);
    assert_string_equal(command_of(&keymap, 'k'), "");
    keymap_release(&keymap);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_codes),  cmocka_unit_test(defaults),
        cmocka_unit_test(binding_replaces), cmocka_unit_test(binding_errors),
        cmocka_unit_test(the_commands),
    };
    setlocale(LC_ALL, "C.UTF-8");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
