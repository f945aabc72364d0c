/* Which rows of a frame are on show. */
#ifndef VIEW_FILTER_H
#define VIEW_FILTER_H

#include "view/column.h"

/* Whether a row satisfies the filter of the settings, a condition or plain text; plain text leaves
 * CPUs, which have no names, as they are. */
bool filter_matches(const struct scene *scene, const struct row *row);

/* Whether a row of the kind on show contains a text, whatever its case: a task in its name or
 * command line, what adds up processes in its name. */
bool filter_contains(const struct scene *scene, const struct row *row, const char *text);

#endif
