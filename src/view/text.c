#include "view/text.h"
#include "base/cells.h"
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
        {0x0001, 0x001f},   {0x007f, 0x009f}, {0x00ad, 0x00ad},   {0x034f, 0x034f},
        {0x061c, 0x061c},   {0x115f, 0x1160}, {0x17b4, 0x17b5},   {0x180b, 0x180f},
        {0x200b, 0x200f},   {0x2028, 0x202e}, {0x2060, 0x206f},   {0x3164, 0x3164},
        {0xfdd0, 0xfdef},   {0xfe00, 0xfe0f}, {0xfeff, 0xfeff},   {0xffa0, 0xffa0},
        {0xfff0, 0xfffb},   {0xfffe, 0xffff}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a},
        {0xe0000, 0xe0fff},
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
        if (used + length >= size) {
            bool full = used + 1 >= size;
            while (full && used > 0)
                full = (out[--used] & 0xc0) == 0x80;
            if (size > 1)
                out[used++] = '+';
            break;
        }
        memcpy(out + used, from, length);
        used += length;
    }
    out[used] = '\0';
}

void text_cut(char *text, int width)
{
    if (!text[cells_fit(text, width, NULL)])
        return;
    size_t end = width > 0 ? cells_fit(text, width - 1, NULL) : 0;
    text[end] = '+';
    text[end + (width > 0)] = '\0';
}
