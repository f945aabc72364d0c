#include "base/cells.h"
#include "front/term/key.h"
#include "front/tui/widget/prompt.h"
#include "unit/test.h"

#include <locale.h>
#include <string.h>

/* Keys that all edit. */
static void type(struct prompt *prompt, const int *keys, size_t count)
{
    for (size_t i = 0; i < count; i++)
        assert_true(prompt_key(prompt, keys[i]));
}

#define TYPE(prompt, ...)                                                                          \
    type(prompt, (const int[]){__VA_ARGS__}, sizeof((const int[]){__VA_ARGS__}) / sizeof(int))

static void expect(struct prompt *prompt, const char *text, size_t cursor)
{
    assert_string_equal(prompt->text.text, text);
    assert_int_equal(prompt->text.length, strlen(text));
    assert_int_equal(prompt->cursor, cursor);
}

static void typing(void **state)
{
    struct prompt prompt = {.text = str_new()};
    expect(&prompt, "", 0);
    TYPE(&prompt, 'a', 'c', K_LEFT, 'b', K_LEFT, K_LEFT, K_LEFT, '0', K_END, 'd');
    expect(&prompt, "0abcd", 5);
    TYPE(&prompt, K_HOME, K_DELETE, K_RIGHT, K_BACKSPACE);
    expect(&prompt, "bcd", 0);
    TYPE(&prompt, K_BACKSPACE, key_control('E'), K_DELETE, K_RIGHT);
    expect(&prompt, "bcd", 3);
    TYPE(&prompt, key_control('A'), 'x');
    expect(&prompt, "xbcd", 1);
    str_release(&prompt.text);
}

static void utf8(void **state)
{
    struct prompt prompt = {.text = str_new()};
    TYPE(&prompt, 'a', 0xe9, 0x65e5, 0x1f600);
    expect(&prompt, "aé日😀", 10);
    TYPE(&prompt, K_LEFT, K_LEFT);
    expect(&prompt, "aé日😀", 3);
    TYPE(&prompt, K_BACKSPACE);
    expect(&prompt, "a日😀", 1);
    TYPE(&prompt, K_DELETE, K_DELETE, K_DELETE);
    expect(&prompt, "a", 1);
    str_release(&prompt.text);
}

static void words_and_lines(void **state)
{
    struct prompt prompt = {.text = str_new()};
    prompt_set(&prompt, "one two  three ");
    TYPE(&prompt, key_control('W'));
    expect(&prompt, "one two  ", 9);
    TYPE(&prompt, key_control('W'));
    expect(&prompt, "one ", 4);
    TYPE(&prompt, K_LEFT, K_LEFT, key_control('U'));
    expect(&prompt, "e ", 0);
    TYPE(&prompt, key_control('W'), key_control('U'));
    expect(&prompt, "e ", 0);
    str_release(&prompt.text);
}

static void outcomes(void **state)
{
    struct prompt prompt = {.text = str_new()};
    assert_false(prompt_key(&prompt, K_ENTER));
    assert_false(prompt_key(&prompt, K_ESC));
    assert_false(prompt_key(&prompt, K_UP));
    assert_false(prompt_key(&prompt, K_F1));
    assert_false(prompt_key(&prompt, key_control('X')));
    assert_false(prompt_key(&prompt, 0x85)); /* a C1 control */
    expect(&prompt, "", 0);
    str_release(&prompt.text);
}

static void set_drops_what_is_no_text(void **state)
{
    struct prompt prompt = {.text = str_new()};
    prompt_set(&prompt, "a\x1b[\xff"
                        "b\n");
    expect(&prompt, "a[b", 3);
    prompt_set(&prompt, NULL);
    expect(&prompt, "", 0);
    for (int i = 0; i < PROMPT_LIMIT + 50; i++)
        prompt_key(&prompt, 'x');
    assert_int_equal(prompt.text.length, PROMPT_LIMIT);
    str_release(&prompt.text);
}

static void the_cursor_is_visible(void **state)
{
    struct prompt prompt = {.text = str_new()};
    size_t first;
    prompt_set(&prompt, "abcdef");
    assert_int_equal(prompt_visible(&prompt, 10, &first), 6);
    assert_int_equal(first, 0);
    assert_int_equal(prompt_visible(&prompt, 4, &first), 3);
    assert_int_equal(first, 3);
    prompt_set(&prompt, "日本語");
    assert_int_equal(prompt_visible(&prompt, 6, &first), 4);
    assert_int_equal(first, 3);
    str_release(&prompt.text);
}

static void cells(void **state)
{
    int used;
    assert_int_equal(cells_width("abc"), 3);
    assert_int_equal(cells_width("日本"), 4);
    assert_int_equal(cells_width("e\xcc\x81x"), 2); /* a combining accent */
    assert_int_equal(cells_width("\xff\x01"), 2);
    assert_int_equal(cells_fit("日本", 3, &used), 3);
    assert_int_equal(used, 2);
    assert_int_equal(cells_fit("ab", 9, &used), 2);
    assert_int_equal(cells_line("one two three", 8), 7);
    assert_int_equal(cells_line("one two three", 7), 7);
    assert_int_equal(cells_line("one two three", 6), 3);
    assert_int_equal(cells_line("verylongword x", 4), 4);
    assert_int_equal(cells_lines("one two three", 7, 9), 2);
    assert_int_equal(cells_lines("one two three", 5, 2), 2);
    assert_int_equal(cells_lines("  ", 5, 2), 0);
    assert_true(cells_lines("日本", 1, 9) > 0); /* ends */
}

static int begin(void **state)
{
    setlocale(LC_ALL, "C.UTF-8");
    return 0;
}
