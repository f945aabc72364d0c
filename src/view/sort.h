/* The order of rows. */
#ifndef VIEW_SORT_H
#define VIEW_SORT_H

#include "view/column.h"

/* Sorts by a column; rows without a value come last either way, equal ones in the order of their
 * thread ids (CPUs: numbers), and where those are equal too as they were. */
void sort_rows(const struct row **rows, size_t count, const struct column *column, bool ascending,
               const struct scene *scene);

#endif
