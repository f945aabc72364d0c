#include "base/cells.h"
#include "front/term/key.h"
#include "front/tui/widget/page.h"
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

static int begin(void **state)
{
    setlocale(LC_ALL, "C.UTF-8");
    return 0;
}
