/* Facts of a row that are not counted: who it is. Part of view/column. */
#ifndef VIEW_FACT_H
#define VIEW_FACT_H

#include "view/column.h"

/* Exactly one of number and text is set. Both return false where the fact is not known. */
struct fact {
    struct view_column shown;
    bool partial;   /* a percentage: below 100 the row's numbers are estimates */
    unsigned views; /* whose rows have it: 1 << kind for each */
    bool (*number)(const struct scene *scene, const struct row *row, int64_t *number);
    bool (*text)(const struct scene *scene, const struct row *row, char *text, size_t size);
};

/* The i-th fact, NULL after the last. */
const struct fact *fact_at(size_t i);
const struct fact *fact_find(const char *name); /* NULL when there is none of that name */

#endif
