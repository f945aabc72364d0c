#include "front/term/shift.h"
#include "base/mem.h"

#include <stdlib.h>

/* A line that is kept, at its places before and after. */
struct kept {
    int from, to;
    int above; /* index of the one above it; -1: it is the first */
};

/* The lines that are there before and after, in their order after, between the upper edge and the
 * line below the last that may move; returns how many. */
static int list_kept(const uint64_t *shown, const uint64_t *wanted, int height, struct kept *lines)
{
    int count = 0, from = 0, bottom = height;
    lines[count++] = (struct kept){-1, -1, -1};
    for (int to = 0; to < height; to++) {
        int tried = 0;
        while (wanted[to] && tried < height && shown[from] != wanted[to]) {
            from =
                from + 1 < height ? from + 1 : 0; /* most stand below the last one that was found */
            tried++;
        }
        if (wanted[to] && tried < height)
            lines[count++] = (struct kept){from, to, -1};
    }
    while (bottom > 0 && !shown[bottom - 1] && !wanted[bottom - 1])
        bottom--;
    lines[count++] = (struct kept){bottom, bottom, -1};
    return count;
}

/* As many of the lines as keep their order, with both edges (the longest increasing subsequence).
 * chain gets their indices; returns how many. */
static int keep_order(struct kept *lines, int count, int *chain)
{
    int length =
        0; /* chain[n]: where, of all chains of n + 1 lines, the one that ends highest ends */
    for (int i = 0; i < count; i++) {
        int low = 0, high = length;
        while (low < high) {
            int middle = (low + high) / 2;
            if (lines[chain[middle]].from < lines[i].from)
                low = middle + 1;
            else
                high = middle;
        }
        lines[i].above = low > 0 ? chain[low - 1] : -1;
        chain[low] = i;
        length += low == length;
    }
    for (int n = length, i = chain[length - 1]; n > 0; i = lines[i].above)
        chain[--n] = i;
    return length;
}

size_t shift_find(const uint64_t *shown, const uint64_t *wanted, int height, struct shift *shifts)
{
    size_t found = 0, room = (size_t)height + 2; /* and both edges */
    struct kept *lines = mem_array(room, sizeof(*lines));
    int *chain = mem_array(room, sizeof(*chain));
    int length = keep_order(lines, list_kept(shown, wanted, height, lines), chain);
    /* From the bottom, so that places further up are still those that were shown. */
    for (int n = length - 1; n > 0; n--) {
        const struct kept *line = &lines[chain[n]], *above = &lines[chain[n - 1]];
        int less = (line->from - above->from) - (line->to - above->to);
        if (less > 0)
            shifts[found++] = (struct shift){line->from - less, -less};
    }
    /* From the top, so that all above is in place. */
    for (int n = 1; n < length; n++) {
        const struct kept *line = &lines[chain[n]], *above = &lines[chain[n - 1]];
        int more = (line->to - above->to) - (line->from - above->from);
        if (more > 0)
            shifts[found++] = (struct shift){line->to - more, more};
    }
    free(lines);
    free(chain);
    return found;
}
