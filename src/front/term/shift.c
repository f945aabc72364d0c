#include "front/term/shift.h"
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

/* The least cost of what comes before a step; lines next to each other are shifted at once. */
static int cheapest(const int costs[STEPS], enum line_step step, uint8_t *before)
{
    int least = NEVER;
    for (int s = 0; s < STEPS; s++) {
        int cost = costs[s] + (step != KEPT && s != (int)step ? SHIFT : 0);
        if (cost < least) {
            least = cost;
            *before = (uint8_t)s;
        }
    }
    return least;
}

/* Finds the cheapest way from the first i lines that are shown to the first j that are wanted, for
 * all i and j that are not too far apart: the alignment of two sequences with affine gaps (Gotoh,
 * J. Mol. Biol. 162, 1982). ways gets the step before each step at each i and j. Returns the last
 * step of all. */
static enum line_step align_lines(const struct shift_lines *lines, uint8_t (*ways)[STEPS])
{
    size_t count = (size_t)lines->count, width = (size_t)lines->width;
    int(*costs)[STEPS] = mem_array(2 * (count + 1), sizeof(*costs));
    int(*above)[STEPS] = costs, (*here)[STEPS] = costs + count + 1;
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
    for (size_t i = 0; i <= count; i++) {
        for (size_t j = 0; j <= count; j++) {
            uint8_t *way = ways[i * (count + 1) + j];
            int *cost = here[j];
            cost[KEPT] = i + j == 0 ? 0 : NEVER;
            cost[DELETED] = cost[INSERTED] = NEVER;
            if (i > j + FAR || j > i + FAR)
                continue;
            if (i > 0 && j > 0)
                cost[KEPT] = cheapest(above[j - 1], KEPT, &way[KEPT]) +
                             line_cost(lines->shown + (i - 1) * width,
                                       lines->next + (j - 1) * width, tails[j - 1], width);
            if (i > 0)
                cost[DELETED] = cheapest(above[j], DELETED, &way[DELETED]);
            if (j > 0)
                cost[INSERTED] = cheapest(here[j - 1], INSERTED, &way[INSERTED]) + inserted[j - 1];
        }
        int(*swap)[STEPS] = above;
        above = here;
        here = swap;
    }
    uint8_t last = KEPT;
    cheapest(above[count], KEPT, &last);
    free(costs);
    return (enum line_step)last;
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
    uint8_t(*ways)[STEPS] = mem_array(row * row, sizeof(*ways));
    AUTO_FREE struct shift *inserted = mem_array(row, sizeof(*inserted));
    enum line_step step = align_lines(lines, ways);
    for (size_t i = row - 1, j = row - 1; i > 0 || j > 0;) {
        enum line_step before = (enum line_step)ways[i * row + j][step];
        i -= step != INSERTED;
        j -= step != DELETED;
        if (step == DELETED)
            found = shift_line(shifts, found, lines->first + (int)i, -1);
        else if (step == INSERTED)
            added = shift_line(inserted, added, lines->first + (int)j, 1);
        step = before;
    }
    /* Deleted from the bottom, so that places further up are still those that were shown; inserted
     * from the top, so that all above is in place. */
    while (added > 0)
        shifts[found++] = inserted[--added];
    free(ways);
    return found;
}
