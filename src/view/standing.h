/* Where a value stands in its column now, so that a hot one is found without reading: for columns
 * whose metric has no limits for good and bad. */
#ifndef VIEW_STANDING_H
#define VIEW_STANDING_H

#include "view/role.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct standing {
    uint64_t choice;  /* of the rows that it was measured over, for the caller */
    double warm, hot; /* from which a value is in the hottest fifth, in the hottest twentieth */
};

/* Sorts the values above 0 of a column, of at least some rows, and finds the limits: nothing stands
 * out that is not twice the median, and nothing among fewer than four. */
void standing_measure(struct standing *standing, double *values, size_t count);
/* ROLE_HEAT_HIGH, ROLE_HEAT_MID, or ROLE_COUNTED. */
enum role standing_role(const struct standing *standing, double number);

/* The mark and the role of a part (0 to 1) of a full cell: blocks, in ASCII digits. */
const char *heat_mark(double part, bool ascii);
enum role heat_role(double part);

#endif
