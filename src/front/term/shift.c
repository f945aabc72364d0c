#include "front/term/screen.h"
#include "base/mem.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Bytes, found by trial with recorded refreshes. */
enum {
    STROKE = 7, /* to reach cells that differ, and often another look */
    SHIFT = 16, /* to delete or to insert lines at one place */
    NEVER = INT_MAX / 2,
};

enum { FAR = 32 }; /* lines; what moves further is written again */

/* What becomes of a line: another one is made out of it, or it is deleted, or inserted. */
enum line_step { KEPT, DELETED, INSERTED, STEPS };

/* The bytes that turn a line into another one, whose cells from `tail` on are blank: what is left
 * there is erased at once. */
static int line_cost(const uint32_t *from, const uint32_t *to, size_t tail, size_t width)
{
    int cells = tail > 0 && from[0] != to[0], strokes = cells;
    for (size_t x = 1; x < tail; x++) {
        int differs = from[x] != to[x];
        cells += differs;
        strokes += differs & (from[x - 1] == to[x - 1]);
    }
    strokes += memcmp(from + tail, to + tail, (width - tail) * sizeof(*to)) != 0;
    return cells + STROKE * strokes;
}

/* Finds the cheapest way from the first i lines that are shown to the first j that are wanted, for
 * all i and j that are not too far apart (the edit distance of two sequences): steps gets the last
 * step of each. */
static void align_lines(const struct shift_lines *lines, uint8_t *steps)
{
    size_t count = (size_t)lines->count, row = count + 1, width = (size_t)lines->width;
    AUTO_FREE int *costs = mem_array(row * row, sizeof(*costs));
    AUTO_FREE int *inserted = mem_array(count, sizeof(*inserted));
    AUTO_FREE size_t *tails = mem_array(count, sizeof(*tails));
    AUTO_FREE uint32_t *blank = mem_array(width, sizeof(*blank));
    for (size_t x = 0; x < width; x++)
        blank[x] = lines->blank;
    for (size_t j = 0; j < count; j++) {
        const uint32_t *next = lines->next + j * width;
        tails[j] = width;
        while (tails[j] > 0 && next[tails[j] - 1] == lines->blank)
            tails[j]--;
        inserted[j] = line_cost(blank, next, tails[j], width);
    }
    for (size_t at = 1; at < row * row; at++) {
        size_t i = at / row, j = at % row;
        int *cost = &costs[at], best[STEPS] = {NEVER, NEVER, NEVER};
        if (i <= j + FAR && j <= i + FAR) {
            if (i > 0 && j > 0)
                best[KEPT] = cost[-(ptrdiff_t)row - 1] + line_cost(lines->shown + (i - 1) * width,
                                                                   lines->next + (j - 1) * width,
                                                                   tails[j - 1], width);
            if (i > 0)
                best[DELETED] = cost[-(ptrdiff_t)row] + SHIFT;
            if (j > 0)
                best[INSERTED] = cost[-1] + SHIFT + inserted[j - 1];
        }
        for (uint8_t step = DELETED; step < STEPS; step++)
            if (best[step] < best[steps[at]])
                steps[at] = step;
        *cost = best[steps[at]];
    }
}

/* Adds a line above those that are there: to the first of them, if it stands next to it. */
static size_t shift_line(struct shift *shifts, size_t found, int y, int lines)
{
    if (found > 0 && shifts[found - 1].y == y + 1) {
        shifts[found - 1].y = y;
        shifts[found - 1].lines += lines;
        return found;
    }
    shifts[found] = (struct shift){y, lines};
    return found + 1;
}

size_t shift_find(const struct shift_lines *lines, struct shift *shifts)
{
    size_t row = (size_t)lines->count + 1, found = 0, added = 0;
    AUTO_FREE uint8_t *steps = mem_array(row * row, sizeof(*steps));
    AUTO_FREE struct shift *inserted = mem_array(row, sizeof(*inserted));
    align_lines(lines, steps);
    for (size_t i = row - 1, j = row - 1; i > 0 || j > 0;) {
        enum line_step step = (enum line_step)steps[i * row + j];
        i -= step != INSERTED;
        j -= step != DELETED;
        if (step == DELETED)
            found = shift_line(shifts, found, lines->first + (int)i, -1);
        else if (step == INSERTED)
            added = shift_line(inserted, added, lines->first + (int)j, 1);
    }
    /* Deleted from the bottom, so that places further up are still those that were shown; inserted
     * from the top, so that all above is in place. */
    while (added > 0)
        shifts[found++] = inserted[--added];
    return found;
}
