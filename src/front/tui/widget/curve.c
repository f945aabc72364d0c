#include "front/tui/widget/curve.h"
#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

enum { ASCII_LEVELS = 6, BRAILLE_LEVELS = 4, BRAILLE_BYTES = 3 };

/* 1 to `levels` for a value from 0 to most; 0 if there is no value. */
static int level_of(float value, double most, int levels)
{
    if (isnan(value))
        return 0;
    if (!(most > 0) || !(value > 0))
        return 1;
    int level = 1 + (int)lround((double)value / most * (levels - 1));
    return level < 2 ? 2 : level > levels ? levels : level; /* a value above 0 must be visible */
}

/* Writes a cell and returns the byte after it. Two columns of dots, filled from below: braille
 * patterns from U+2800 on, whose dots are numbered 1 2 3 7 from above on the left and 4 5 6 8 on
 * the right (Unicode, chapter 21.1). */
static char *add_braille(char *text, int left, int right)
{
    static const unsigned lefts[] = {0, 0x40, 0x44, 0x46, 0x47};
    static const unsigned rights[] = {0, 0x80, 0xa0, 0xb0, 0xb8};
    unsigned code = 0x2800 + lefts[left] + rights[right];
    if (code == 0x2800) { /* some fonts draw the dots of an empty cell */
        *text = ' ';
        return text + 1;
    }
    text[0] = (char)(0xe0 | code >> 12);
    text[1] = (char)(0x80 | (code >> 6 & 0x3f));
    text[2] = (char)(0x80 | (code & 0x3f));
    return text + BRAILLE_BYTES;
}

static size_t per_cell(const struct terminal *term)
{
    return term_ascii(term) ? 1 : 2;
}

size_t curve_room(const struct terminal *term, int width)
{
    size_t room = width > 0 ? (size_t)width * per_cell(term) : 0;
    return room < HISTORY_LENGTH ? room : HISTORY_LENGTH;
}

int curve_draw(struct terminal *term, int y, int x, int width, const struct series *series,
               double full)
{
    bool ascii = term_ascii(term);
    size_t room = curve_room(term, width), per = per_cell(term), cells = room / per;
    double least = 0, most = 0;
    if (!(full > 0)) {
        trend_range(series, room, &least, &most);
        full = most;
    }
    char *text = mem_alloc(cells * BRAILLE_BYTES + 1), *end = text;
    for (size_t c = 0; c < cells; c++) {
        int level[2] = {0, 0};
        for (size_t i = 0; i < per; i++) {
            size_t back = room - (c * per + i); /* age of the value, 1: the newest */
            if (back <= series->count)
                level[i] = level_of(series->values[series->count - back], full,
                                    ascii ? ASCII_LEVELS : BRAILLE_LEVELS);
        }
        if (ascii)
            *end++ = " _.-=*#"[level[0]];
        else
            end = add_braille(end, level[0], level[1]);
    }
    term_put(term, y, x, (int)cells, ROLE_BAR, text);
    free(text);
    return (int)cells;
}
