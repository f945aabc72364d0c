/* Facts of a row that are not counted: who it is. Part of view/column. */
#ifndef VIEW_BUILTIN_COLUMN_H
#define VIEW_BUILTIN_COLUMN_H

#include "view/cell.h"
#include "view/view_context.h"

/* Exactly one of number and text is set. Both return false where the fact is not known. */
struct builtin_column {
    struct view_column shown;
    bool partial;   /* a percentage: below 100 the row's numbers are estimates */
    unsigned views; /* whose rows have it: 1 << kind for each */
    bool (*number)(const struct view_context *context, const struct row *row, int64_t *number);
    bool (*text)(const struct view_context *context, const struct row *row, char *text,
                 size_t size);
    /* Makes the cell of a number that is not shown as one; may be NULL. */
    void (*draw)(const struct view_context *context, int64_t number, struct cell *cell);
};

/* The i-th fact, NULL after the last. */
const struct builtin_column *builtin_column_at(size_t i);
const struct builtin_column *
builtin_column_find(const char *name); /* NULL when there is none of that name */

/* What stands for a fact that is not known of a row because it is that of all CPUs: "all" or
 * nothing; false where it is another row. */
bool builtin_column_of_total(const struct builtin_column *builtin,
                             const struct view_context *context, const struct row *row, char *text);

#endif
