/* How much a row has of what the rows of the CPUs view are compared by. Part of view/view. */
#ifndef VIEW_HEAT_H
#define VIEW_HEAT_H

#include "view/column.h"

struct heat {
    const struct column *column; /* NULL: nothing is compared */
    double largest;              /* of the rows but that of all */
};

/* Before cells: column is that by which the rows are compared, one of numbers that are measured, or
 * NULL. */
void heat_make(struct heat *heat, const struct scene *scene, const struct column *column);

/* 0 to 1000: of 100 % (for what CPUs have together: of each) where the column is a percentage, else
 * of the largest. False without a value. */
bool heat_number(const struct scene *scene, const struct row *row, int64_t *number);

/* That as a bar of one character, a digit with ascii, and in three steps of colour. */
void heat_cell(const struct scene *scene, int64_t number, struct cell *cell);

#endif
