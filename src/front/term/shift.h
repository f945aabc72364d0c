/* Lines of the screen that are best made out of lines that stand in another place. Pure. */
#ifndef FRONT_TERM_SHIFT_H
#define FRONT_TERM_SHIFT_H

#include <stddef.h>
#include <stdint.h>

/* How many lines to insert at y; below 0: to delete there. Those below move down or up. */
struct shift {
    int y, lines;
};

/* Some lines of the screen, before and after: a number for each cell, the same for cells that need
 * not be written again. */
struct shift_lines {
    int first, count, width; /* of all lines on the screen those from `first` on */
    const uint32_t *shown, *next;
    uint32_t blank; /* a cell of a line that was inserted */
};

/* What to delete and to insert, in that order, so that the fewest bytes are left to write, as far
 * as they can be told without writing: none where all is best written in place. shifts has room for
 * 2 * count; returns how many there are. Lines move by a few dozen at most. */
size_t shift_find(const struct shift_lines *lines, struct shift *shifts);

#endif
