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

void curve_axis(const struct terminal *term, int width, struct axis *axis)
{
    axis_make(axis, width, term_ascii(term) ? 1 : 2);
}

int curve_draw(struct terminal *term, const struct curve *curve)
{
    const struct series *series = curve->series;
    bool ascii = term_ascii(term);
    int lines = curve->lines, each = ascii ? ASCII_LEVELS : BRAILLE_LEVELS;
    double least = 0, most = 0, full = curve->full;
    struct axis axis;
    curve_axis(term, curve->at.width, &axis);
    if (!curve->stretched)
        axis.columns = axis.values;
    size_t cells = axis.columns / axis.per;
    if (!(full > 0)) {
        trend_range(series, axis.values, &least, &most);
        full = most;
    }
    char *text = mem_alloc(cells * BRAILLE_BYTES + 1);
    for (int line = 0; line < lines; line++) {
        int below = (lines - 1 - line) * each, level[2] = {0, 0};
        char *end = text;
        for (size_t c = 0; c < axis.columns; c++) {
            size_t back = axis_back(&axis, c), i = c % axis.per;
            float value = back > series->count ? NAN : series->values[series->count - back];
            int height = level_of(value, full, lines * each);
            level[i] = height < below ? 0 : height - below < each ? height - below : each;
            if (ascii)
                *end++ = " _.-=*#"[level[0]];
            else if (i == 1)
                end = add_braille(end, level[0], level[1]);
        }
        *end = '\0';
        enum role role = !curve->hot || 2 * (line + 1) > lines + 1 ? ROLE_BAR
                         : line == 0                               ? ROLE_HEAT_HIGH
                                                                   : ROLE_HEAT_MID;
        term_put(term, curve->at.y + line, curve->at.x, (int)cells, role, text);
    }
    free(text);
    return (int)cells;
}
