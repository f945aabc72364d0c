#include "front/tui/widget/page.h"

static bool is_continuation(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

static size_t before(const struct prompt *prompt, size_t at)
{
    while (at > 0 && is_continuation(prompt->text.text[--at]))
        ;
    return at;
}

static size_t after(const struct prompt *prompt, size_t at)
{
    if (at < prompt->text.length)
        at++;
    while (at < prompt->text.length && is_continuation(prompt->text.text[at]))
        at++;
    return at;
}

static void cut(struct prompt *prompt, size_t from, size_t to)
{
    struct str *text = &prompt->text;
    if (from == to)
        return;
    memmove(text->text + from, text->text + to, text->length - to + 1);
    text->length -= to - from;
    prompt->cursor = from;
}

static void insert(struct prompt *prompt, const char *bytes, size_t length)
{
    struct str *text = &prompt->text;
    if (text->length + length > PROMPT_LIMIT)
        return;
    str_add_n(text, bytes, length); /* makes room; the tail is moved below */
    memmove(text->text + prompt->cursor + length, text->text + prompt->cursor,
            text->length - length - prompt->cursor);
    memcpy(text->text + prompt->cursor, bytes, length);
    prompt->cursor += length;
}

void prompt_set(struct prompt *prompt, const char *text)
{
    str_clear(&prompt->text);
    prompt->cursor = 0;
    while (text && *text) {
        unsigned code;
        size_t length = str_utf8(text, &code);
        if (length > 0 && key_is_text((int)code))
            insert(prompt, text, length);
        text += length > 0 ? length : 1;
    }
}

bool prompt_key(struct prompt *prompt, int key)
{
    size_t at = prompt->cursor;
    if (key_is_text(key)) {
        char bytes[4];
        insert(prompt, bytes, str_encode(bytes, (unsigned)key));
        return true;
    }
    switch (key) {
    case K_LEFT:
        prompt->cursor = before(prompt, at);
        break;
    case K_RIGHT:
        prompt->cursor = after(prompt, at);
        break;
    case K_HOME:
    case 'A' & 0x1f:
        prompt->cursor = 0;
        break;
    case K_END:
    case 'E' & 0x1f:
        prompt->cursor = prompt->text.length;
        break;
    case K_BACKSPACE:
        cut(prompt, before(prompt, at), at);
        break;
    case K_DELETE:
        cut(prompt, at, after(prompt, at));
        break;
    case 'U' & 0x1f:
        cut(prompt, 0, at);
        break;
    case 'W' & 0x1f:
        while (at > 0 && prompt->text.text[at - 1] == ' ')
            at--;
        while (at > 0 && prompt->text.text[at - 1] != ' ')
            at--;
        cut(prompt, at, prompt->cursor);
        break;
    default:
        return false;
    }
    return true;
}

int prompt_visible(const struct prompt *prompt, int width, size_t *first)
{
    const char *text = prompt->text.text;
    int column = 0; /* of the cursor, counted from *first */
    for (size_t i = 0; i < prompt->cursor;) {
        unsigned code;
        int cells;
        i += cells_char(text + i, &code, &cells);
        column += cells;
    }
    *first = 0;
    while (*first < prompt->cursor && column >= width) {
        unsigned code;
        int cells;
        *first += cells_char(text + *first, &code, &cells);
        column -= cells;
    }
    return column;
}

void prompt_draw(const struct prompt *prompt, struct terminal *term, struct box at,
                 const char *label, const char *hint, bool typing)
{
    int x = at.x + term_put(term, at.y, at.x, at.width * 3 / 4, ROLE_LABEL, label);
    int room = at.x + at.width - x;
    size_t first;
    int cursor = prompt_visible(prompt, room, &first), fits = (int)strlen(hint);
    while (fits > 0 && (fits >= room || (hint[fits] && hint[fits] != ' ')))
        fits--; /* it ends with a word */
    if (prompt->text.length > 0)
        term_put(term, at.y, x, room, ROLE_PROMPT, prompt->text.text + first);
    else
        term_put(term, at.y, x + 1, fits, ROLE_DIM, hint);
    if (typing)
        term_cursor(term, at.y, x + cursor);
}
