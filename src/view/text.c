#include "view/text.h"
#include "base/str.h"

#include <string.h>

/* Characters that must not reach a terminal, as ranges: controls; those that change lines or the
 * direction of the surrounding text; invisible ones, whose width differs between terminals (Unicode
 * TR 36, 3.6; property Default_Ignorable_Code_Point; 202a is the first that changes the direction,
 * 200d joins emoji, fe0f selects colour). */
static bool is_harmful(unsigned code)
{
    static const struct {
        unsigned from, to;
    } ranges[] = {
        {0x0001, 0x001f},   {0x007f, 0x009f},   {0x00ad, 0x00ad},   {0x034f, 0x034f},
        {0x061c, 0x061c},   {0x115f, 0x1160},   {0x17b4, 0x17b5},   {0x180b, 0x180f},
        {0x200b, 0x200f},   {0x2028, 0x202e},   {0x2060, 0x206f},   {0x3164, 0x3164},
        {0xfe00, 0xfe0f},   {0xfeff, 0xfeff},   {0xffa0, 0xffa0},   {0xfff0, 0xfffb},
        {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
    };
    for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
        if (code >= ranges[i].from && code <= ranges[i].to)
            return true;
    return false;
}

void text_clean(char *out, size_t size, const char *text, bool ascii)
{
    size_t used = 0;
    while (*text) {
        unsigned code = 0;
        size_t length = str_utf8(text, &code);
        const char *from = text;
        text += length ? length : 1;
        if (length == 0 || is_harmful(code) || (ascii && code >= 0x80)) {
            from = "?";
            length = 1;
        }
        if (used + length >= size)
            break;
        memcpy(out + used, from, length);
        used += length;
    }
    out[used] = '\0';
}

void text_cut(char *text, int width)
{
    char *last = text; /* the last character that fits before '+' */
    for (int i = 0; *text; i++) {
        if (i == width) {
            if (width > 0)
                *last++ = '+';
            *last = '\0';
            return;
        }
        last = text;
        unsigned code;
        size_t length = str_utf8(text, &code);
        text += length ? length : 1;
    }
}
