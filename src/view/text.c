#include "view/text.h"
#include "base/str.h"

#include <string.h>

/* C0 and C1 controls, and what Unicode calls format characters of lines and bidirectional text:
 * a name could use them to rearrange what stands beside it (Unicode TR 36, 3.6). */
static bool is_harmful(unsigned code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || (code >= 0x200b && code <= 0x200f) ||
           (code >= 0x2028 && code <= 0x202e) || (code >= 0x2060 && code <= 0x206f) ||
           code == 0xfeff;
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
    char *last = text; /* the character that has to give way */
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
