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

/* The levels of the two values (or the one) of a cell, from 0 to `most`. */
static void cell_levels(const struct series *series, size_t back, size_t per, double full, int most,
                        int level[2])
{
    for (size_t i = 0; i < per; i++, back--)
        level[i] =
            back > series->count ? 0 : level_of(series->values[series->count - back], full, most);
}

int curve_draw(struct terminal *term, struct box at, int lines, const struct series *series,
               double full, bool hot)
{
    bool ascii = term_ascii(term);
    int each = ascii ? ASCII_LEVELS : BRAILLE_LEVELS;
    size_t room = curve_room(term, at.width), per = per_cell(term), cells = room / per;
    double least = 0, most = 0;
    if (!(full > 0)) {
        trend_range(series, room, &least, &most);
        full = most;
    }
    char *text = mem_alloc(cells * BRAILLE_BYTES + 1);
    for (int line = 0; line < lines; line++) {
        int below = (lines - 1 - line) * each, level[2] = {0, 0};
        char *end = text;
        for (size_t c = 0; c < cells; c++) {
            cell_levels(series, room - c * per, per, full, lines * each, level);
            for (int i = 0; i < 2; i++)
                level[i] = level[i] < below ? 0 : level[i] - below < each ? level[i] - below : each;
            if (ascii)
                *end++ = " _.-=*#"[level[0]];
            else
                end = add_braille(end, level[0], level[1]);
        }
        *end = '\0';
        enum role role = !hot || 2 * (line + 1) > lines + 1 ? ROLE_BAR
                         : line == 0                        ? ROLE_HEAT_HIGH
                                                            : ROLE_HEAT_MID;
        term_put(term, at.y + line, at.x, (int)cells, role, text);
    }
    free(text);
    return (int)cells;
}
