/* Which lines are deleted and inserted so that little is left to write. */

#include "front/term/screen.h"
#include "unit/test.h"

#include <stdio.h>
#include <string.h>

enum { WIDTH = 30, LINES = 80, FIRST = 2 };

/* A line for each character: a letter's is like that of its capital but for two cells, a space's is
 * blank. */
static void draw(uint32_t *cells, const char *letters, int width)
{
    for (int y = 0; letters[y]; y++)
        for (int x = 0; x < width; x++) {
            unsigned letter = (unsigned char)letters[y];
            int capital = letter >= 'A' && letter <= 'Z';
            unsigned line = capital ? letter - 'A' + 'a' : letter;
            uint32_t cell = letter == ' ' ? ' ' : line * 1000 + (uint32_t)x;
            cells[y * width + x] = capital && (x == 4 || x == 5) ? 1 : cell;
        }
}

/* "-2@3 +2@7": what is deleted and inserted at which line. */
static void expect_shifts(const char *shown, const char *next, int width, const char *wanted)
{
    static uint32_t cells[2][LINES * WIDTH];
    struct shift shifts[2 * LINES];
    char text[200] = "";
    int count = (int)strlen(shown);
    assert_int_equal(strlen(next), count);
    draw(cells[0], shown, width);
    draw(cells[1], next, width);
    struct shift_lines lines = {FIRST, count, width, cells[0], cells[1], ' '};
    size_t found = shift_find(&lines, shifts);
    for (size_t i = 0; i < found; i++)
        snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%+d@%d", i ? " " : "",
                 shifts[i].lines, shifts[i].y);
    assert_string_equal(text, wanted);
}

static void in_place(void **state)
{
    expect_shifts("a", "a", WIDTH, "");
    expect_shifts("abcd", "abcd", WIDTH, "");
    expect_shifts("abcd", "ABcD", WIDTH, "");
    expect_shifts("abcd", "wxyz", WIDTH, "");
    /* Two that change places are written again where a shift takes no less. */
    expect_shifts("abc", "bac", 4, "");
    expect_shifts("abc", "bca", 3, "");
}

static void moved(void **state)
{
    expect_shifts("abcdef", "bcdefa", WIDTH, "-1@2 +1@7");
    expect_shifts("abcdef", "fabcde", WIDTH, "-1@7 +1@2");
    expect_shifts("abcdef", "xyabcd", WIDTH, "-2@6 +2@2");
    expect_shifts("abcdefgh", "bcdaxfgh", WIDTH, "-1@2 +1@5");
    /* The lowest place is deleted at first, the highest one filled at first. */
    expect_shifts("abcdefghij", "bcdxyfghi ", WIDTH, "-1@2 +1@5");
    expect_shifts("abcdefghijkl", "xbcdefgyhijk", WIDTH, "-1@13 +1@9");
    expect_shifts("aefghbijklmc", "efghxijklmyz", WIDTH, "-1@2 +1@12");
}

/* Lines are alike by what they show, not by what they are about. */
static void alike(void **state)
{
    expect_shifts("abcdef", "BCDEFA", WIDTH, "-1@2 +1@7");
    expect_shifts("abcabc", "bcabcA", WIDTH, "-1@2 +1@7");
    expect_shifts("aaaabbbb", "xaaaabbb", WIDTH, "-1@6 +1@2");
}

/* What moves far is not looked for. */
static void far(void **state)
{
    char shown[LINES], next[LINES];
    for (int by = 31; by <= 34; by++) {
        char wanted[40] = "";
        for (int i = 0; i < LINES - 1; i++) {
            shown[i] = (char)('\200' + i);
            next[i] = (char)('\200' + i + by);
        }
        shown[LINES - 1] = next[LINES - 1] = '\0';
        if (by <= 32)
            snprintf(wanted, sizeof(wanted), "-%d@%d +%d@%d", by, FIRST, by,
                     FIRST + LINES - 1 - by);
        expect_shifts(shown, next, WIDTH, wanted);
    }
}
