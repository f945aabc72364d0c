#include "front/term/key.h"
#include "unit/test.h"

#include <string.h>

static int next_byte(void *ctx)
{
    const char **text = ctx;
    return **text ? (unsigned char)*(*text)++ : -1;
}

/* Reads what follows Esc; all of it has to be read, but for `left`. */
static struct sequence read_all(const char *text, const char *left)
{
    const char *rest = text + 1;
    assert_true(sequence_begins(*text));
    struct sequence sequence = sequence_read(*text, next_byte, &rest);
    assert_string_equal(rest, left);
    return sequence;
}

static void keys(void **state)
{
    static const struct {
        const char *text;
        int key;
    } cases[] = {
        /* xterm, and what it sends in application mode */
        {"[A", K_UP},
        {"OA", K_UP},
        {"[H", K_HOME},
        {"OF", K_END},
        {"[Z", K_BACKTAB},
        {"OP", K_F1},
        {"[15~", K_F1 + 4},
        {"[24~", K_F12},
        {"[5~", K_PAGE_UP},
        {"[3~", K_DELETE},
        /* rxvt; Linux' console; PuTTY */
        {"[7~", K_HOME},
        {"[8~", K_END},
        {"[[A", K_F1},
        {"[[E", K_F1 + 4},
        {"[11~", K_F1},
        {"[1~", K_HOME},
        {"[4~", K_END},
        {"[2~", K_INSERT},
        /* the keypad */
        {"OM", K_ENTER},
        {"Ok", '+'},
        {"Om", '-'},
        {"Oj", '*'},
        {"Oo", '/'},
        {"Op", '0'},
        {"Oy", '9'},
        {"On", '.'},
        /* with Shift */
        {"[1;2D", K_SHIFT_LEFT},
        {"[1;2C", K_SHIFT_RIGHT},
        {"[1;2R", K_SHIFT_F3},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct sequence sequence = read_all(cases[i].text, "");
        assert_int_equal(sequence.kind, SEQUENCE_KEY);
        assert_int_equal(sequence.key, cases[i].key);
    }
}

/* What is not known is read to its end, and no further. */
static void unknown(void **state)
{
    static const char *const cases[] = {"[1;5A",      "[?2026;2$y", "[I",      "[99~",    "[1;2;3u",
                                        "[>0;276;0c", "Oz",         "[[Z",     "[",       "O",
                                        "[1;",        "[M",         "[<0;1;1", "[<0;0;1M"};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_int_equal(read_all(cases[i], "").kind, SEQUENCE_OTHER);
    assert_int_equal(read_all("[1;5Aq", "q").kind, SEQUENCE_OTHER);
    assert_int_equal(read_all("[[Zq", "q").kind, SEQUENCE_OTHER);
    /* A number that is larger than any. */
    assert_int_equal(read_all("[99999999999999999999999~", "").kind, SEQUENCE_OTHER);
    assert_int_equal(read_all("[<0;99999999999;99999999999M", "").kind, SEQUENCE_MOUSE);
}

static void expect_mouse(const char *text, int y, int x, enum mouse_button button)
{
    struct sequence sequence = read_all(text, "");
    assert_int_equal(sequence.kind, SEQUENCE_MOUSE);
    assert_int_equal(sequence.mouse.y, y);
    assert_int_equal(sequence.mouse.x, x);
    assert_int_equal(sequence.mouse.button, button);
}

static void mouse(void **state)
{
    expect_mouse("[<0;1;1M", 0, 0, MOUSE_LEFT);
    expect_mouse("[<0;300;50M", 49, 299, MOUSE_LEFT);
    expect_mouse("[<2;5;7M", 6, 4, MOUSE_RIGHT);
    expect_mouse("[<64;5;7M", 6, 4, MOUSE_WHEEL_UP);
    expect_mouse("[<65;5;7M", 6, 4, MOUSE_WHEEL_DOWN);
    expect_mouse("[M !!", 0, 0, MOUSE_LEFT);
    expect_mouse("[M`%'", 6, 4, MOUSE_WHEEL_UP);
    /* Letting go, other buttons, with Shift, movements */
    static const char *const others[] = {"[<0;5;7m", "[<1;5;7M", "[<4;5;7M", "[<32;5;7M", "[M#%'"};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        assert_int_equal(read_all(others[i], "").kind, SEQUENCE_OTHER);
}

static void paste(void **state)
{
    assert_int_equal(read_all("[200~q", "q").kind, SEQUENCE_PASTE);
    assert_int_equal(read_all("[201~q", "q").kind, SEQUENCE_PASTED);
}
