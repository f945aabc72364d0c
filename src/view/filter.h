/* Which rows of a frame are on show. */
#ifndef VIEW_FILTER_H
#define VIEW_FILTER_H

#include "view/column.h"

/* Puts pointers to the rows into *rows, which has *room elements and grows; returns how many.
 * In the frame's order. For the views of users, commands and cgroups: the processes that they add
 * up, whatever the filter's text, which is then for their names. */
size_t filter_rows(const struct scene *scene, const struct row ***rows, size_t *room);

#endif
