#include "front/term/key.h"

#include <wchar.h>

static const struct {
    int key;
    const char *name;
} names[] = {
    {K_ESC, "Esc"},
    {K_ENTER, "Enter"},
    {K_TAB, "Tab"},
    {K_BACKTAB, "Shift-Tab"},
    {K_BACKSPACE, "Backspace"},
    {K_UP, "Up"},
    {K_DOWN, "Down"},
    {K_LEFT, "Left"},
    {K_RIGHT, "Right"},
    {K_HOME, "Home"},
    {K_END, "End"},
    {K_PAGE_UP, "PgUp"},
    {K_PAGE_DOWN, "PgDn"},
    {K_INSERT, "Insert"},
    {K_DELETE, "Delete"},
    {K_SHIFT_LEFT, "Shift-Left"},
    {K_SHIFT_RIGHT, "Shift-Right"},
    {K_SHIFT_F3, "Shift-F3"},
    {' ', "Space"},
    {';', "Semicolon"}, /* the character would begin a comment in INI files */
};
enum { NAME_COUNT = sizeof(names) / sizeof(names[0]) };

bool key_is_text(int key)
{
    return key >= ' ' && key < K_BEYOND && key != 0x7f && !(key >= 0x80 && key < 0xa0);
}

void key_spell(int key, char *buffer, size_t size)
{
    for (size_t i = 0; i < NAME_COUNT; i++)
        if (names[i].key == key) {
            snprintf(buffer, size, "%s", names[i].name);
            return;
        }
    if (key >= K_F1 && key <= K_F12)
        snprintf(buffer, size, "F%d", key - K_F1 + 1);
    else if (key > 0 && key < ' ')
        snprintf(buffer, size, "^%c", key + '@');
    else if (key_is_text(key))
        snprintf(buffer, size, "%lc", (wint_t)key);
    else
        snprintf(buffer, size, "?");
}

const char *key_word(size_t i)
{
    return i < NAME_COUNT ? names[i].name : NULL;
}

int key_parse(const char *name)
{
    unsigned code;
    size_t length = *name ? str_utf8(name, &code) : 0;
    if (length > 0 && !name[length])
        return key_is_text((int)code) ? (int)code : K_NONE;
    for (size_t i = 0; i < NAME_COUNT; i++)
        if (strcasecmp(names[i].name, name) == 0)
            return names[i].key;
    unsigned long long number;
    if ((name[0] == 'F' || name[0] == 'f') && str_to_u64(name + 1, 1, 12, &number))
        return K_F1 + (int)number - 1;
    if (name[0] == '^' && name[1] >= '@' && name[1] <= '_' && !name[2] && name[1] != '[')
        return key_control(name[1]);
    return K_NONE;
}

/* ---- sequences ---- */

enum {
    END = -1,
    NUMBERS = 3, /* kept: xterm's mouse has three */
    NUMBER_MAX = 100000,
};

/* Parameters of a control sequence. */
struct parameters {
    int numbers[NUMBERS]; /* 0: left out */
    int count;
    char mark;  /* '<', '?' ... at the beginning; '\0': none */
    bool other; /* there are other characters than numbers and a mark */
};

bool sequence_begins(int byte)
{
    return byte == '[' || byte == 'O';
}

static struct sequence of_key(int key)
{
    return (struct sequence){.kind = key == K_NONE ? SEQUENCE_OTHER : SEQUENCE_KEY, .key = key};
}

/* ESC [ NUMBER ~, and ESC [ LETTER. */
static int control_key(int final, int number)
{
    static const struct {
        int final, number, key;
    } keys[] = {
        {'A', 0, K_UP},        {'B', 0, K_DOWN},     {'C', 0, K_RIGHT},    {'D', 0, K_LEFT},
        {'Z', 0, K_BACKTAB},   {'H', 0, K_HOME},     {'F', 0, K_END},      {'P', 0, K_F1},
        {'Q', 0, K_F1 + 1},    {'R', 0, K_F1 + 2},   {'S', 0, K_F1 + 3},   {'~', 1, K_HOME},
        {'~', 2, K_INSERT},    {'~', 3, K_DELETE},   {'~', 4, K_END},      {'~', 5, K_PAGE_UP},
        {'~', 6, K_PAGE_DOWN}, {'~', 7, K_HOME},     {'~', 8, K_END},      {'~', 11, K_F1},
        {'~', 12, K_F1 + 1},   {'~', 13, K_F1 + 2},  {'~', 14, K_F1 + 3},  {'~', 15, K_F1 + 4},
        {'~', 17, K_F1 + 5},   {'~', 18, K_F1 + 6},  {'~', 19, K_F1 + 7},  {'~', 20, K_F1 + 8},
        {'~', 21, K_F1 + 9},   {'~', 23, K_F1 + 10}, {'~', 24, K_F1 + 11},
    };
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        if (keys[i].final == final && keys[i].number == number)
            return keys[i].key;
    return K_NONE;
}

/* ESC O LETTER, also from a keypad in application mode. */
static int single_shift(int byte)
{
    if (byte >= 'j' && byte <= 'y')
        return byte - 'j' + '*'; /* * + , - . / 0 to 9 */
    return byte == 'M' ? K_ENTER : byte == 'X' ? '=' : byte == 'Z' ? K_NONE : control_key(byte, 0);
}

/* xterm's code of a button: the two low bits, plus 64 for the wheel; 4, 8 and 16 are Shift, Alt and
 * Ctrl, which terminals use themselves; 32 is a movement. Columns and rows count from 1. */
static struct sequence of_mouse(int code, int x, int y)
{
    struct sequence sequence = {.kind = SEQUENCE_MOUSE, .mouse = {.y = y - 1, .x = x - 1}};
    if (code == 0)
        sequence.mouse.button = MOUSE_LEFT;
    else if (code == 2)
        sequence.mouse.button = MOUSE_RIGHT;
    else if (code == 64)
        sequence.mouse.button = MOUSE_WHEEL_UP;
    else if (code == 65)
        sequence.mouse.button = MOUSE_WHEEL_DOWN;
    else
        return of_key(K_NONE);
    return x > 0 && y > 0 ? sequence : of_key(K_NONE);
}

struct sequence sequence_read(int introducer, int (*next)(void *ctx), void *ctx)
{
    struct parameters p = {0};
    int c = next(ctx);
    if (introducer == 'O')
        return of_key(single_shift(c));
    if (c == '[') { /* F1 to F5 of the Linux console */
        c = next(ctx);
        return of_key(c >= 'A' && c <= 'E' ? K_F1 + c - 'A' : K_NONE);
    }
    if (c == 'M') { /* the older form of the mouse's reports: three bytes, each plus 32 */
        int bytes[3];
        for (int i = 0; i < 3; i++)
            if ((bytes[i] = next(ctx)) == END)
                return of_key(K_NONE);
        return of_mouse(bytes[0] - 32, bytes[1] - 32, bytes[2] - 32);
    }
    for (; c >= ' ' && c < '@'; c = next(ctx)) {
        int *number = &p.numbers[p.count < NUMBERS ? p.count : NUMBERS - 1];
        if (c >= '0' && c <= '9')
            *number = *number < NUMBER_MAX ? *number * 10 + c - '0' : *number;
        else if (c == ';')
            p.count++;
        else if (c >= '<' && c <= '?' && p.count == 0 && p.numbers[0] == 0 && !p.mark)
            p.mark = (char)c;
        else
            p.other = true;
    }
    if (p.other || c < '@')
        return of_key(K_NONE);
    if (p.mark == '<' && c == 'M')
        return of_mouse(p.numbers[0], p.numbers[1], p.numbers[2]);
    if (!p.mark && p.count == 1 && p.numbers[1] == 2) { /* with Shift */
        int key = control_key(c, c == '~' ? p.numbers[0] : 0);
        return of_key(key == K_LEFT     ? K_SHIFT_LEFT
                      : key == K_RIGHT  ? K_SHIFT_RIGHT
                      : key == K_F1 + 2 ? K_SHIFT_F3
                                        : K_NONE);
    }
    if (p.mark || p.count > 0)
        return of_key(K_NONE);
    if (c == '~' && (p.numbers[0] == 200 || p.numbers[0] == 201))
        return (struct sequence){.kind = p.numbers[0] == 200 ? SEQUENCE_PASTE : SEQUENCE_PASTED};
    return of_key(control_key(c, p.numbers[0]));
}
