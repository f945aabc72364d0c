/* Lines of the screen that show the same thing as before, in another place. Pure. */
#ifndef FRONT_TERM_SHIFT_H
#define FRONT_TERM_SHIFT_H

#include <stddef.h>
#include <stdint.h>

/* How many lines to insert at y; below 0: to delete there. Those below move down or up. */
struct shift {
    int y, lines;
};

/* What to delete and to insert, in that order, for as many lines as possible to stand where they
 * are wanted. shown, wanted: what each line is about; 0: nothing that may move. Lines above the
 * first and below the last that may move stay in place. shifts has room for height + 1; returns how
 * many there are. */
size_t shift_find(const uint64_t *shown, const uint64_t *wanted, int height, struct shift *shifts);

#endif
