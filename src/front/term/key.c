#include "front/term/key.h"
#include "base/str.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
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
