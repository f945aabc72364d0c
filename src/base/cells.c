#include "base/cells.h"
#include "base/str.h"

#include <limits.h>
#include <wchar.h>

size_t cells_char(const char *text, unsigned *code, int *width)
{
    if (*text >= ' ' && *text <= '~') { /* nearly all are such, and wcwidth(3) is slow */
        *code = (unsigned)*text;
        *width = 1;
        return 1;
    }
    size_t length = str_utf8(text, code);
    *width = length ? wcwidth((wchar_t)*code) : -1;
    if (*width < 0) {
        *code = '?';
        *width = 1;
    }
    return length ? length : 1;
}

size_t cells_fit(const char *text, int width, int *used)
{
    size_t bytes = 0;
    int cells = 0;
    while (text[bytes]) {
        unsigned code;
        int more;
        size_t length = cells_char(text + bytes, &code, &more);
        if (more > width - cells)
            break;
        bytes += length;
        cells += more;
    }
    if (used)
        *used = cells;
    return bytes;
}

int cells_width(const char *text)
{
    int used;
    cells_fit(text, INT_MAX, &used);
    return used;
}

size_t cells_line(const char *text, int width)
{
    size_t fits = cells_fit(text, width, NULL);
    if (!text[fits] || text[fits] == ' ')
        return fits;
    for (size_t end = fits; end > 0; end--)
        if (text[end - 1] == ' ')
            return end - 1;
    return fits; /* a word is longer than a line */
}

int cells_lines(const char *text, int width, int most)
{
    int lines = 0;
    text += strspn(text, " ");
    while (*text && lines < most && width > 0) {
        size_t length = cells_line(text, width);
        if (length == 0)
            length = 1; /* a wide character does not fit in one cell: do not loop forever */
        text += length;
        text += strspn(text, " ");
        lines++;
    }
    return lines;
}
