/* Columns that are not counted: who a row is, where it ran, what /proc says of it. */
#ifndef VIEW_BUILTIN_COLUMN_H
#define VIEW_BUILTIN_COLUMN_H

#include "view/cell.h"
#include "view/view_context.h"

/* Exactly one of number and text is set. Both return false where the row's value is not known. */
struct builtin_column {
    struct view_column shown;
    bool keyed;   /* text() itself makes its text from the key of rows that add up processes */
    bool partial; /* a percentage: below 100 the row's numbers are estimates */
    enum { OF_TASKS = 1, OF_CPUS = 2, OF_GROUPS = 4 } rows; /* that have it */
    bool (*number)(const struct view_context *context, const struct row *row, int64_t *number);
    bool (*text)(const struct view_context *context, const struct row *row, char *text,
                 size_t size);
    /* Makes the cell of a number that is not shown as one; may be NULL. */
    void (*draw)(const struct view_context *context, int64_t number, struct cell *cell);
};

/* The i-th of them, NULL after the last. */
const struct builtin_column *builtin_column_at(size_t i);
/* NULL when there is none of that name. */
const struct builtin_column *builtin_column_find(const char *name);
/* Whether rows of that view have it. */
bool builtin_column_fits(const struct builtin_column *builtin, enum view_kind kind);

/* The text of a column with texts: of a row that it names and that adds up processes, their key. */
bool builtin_column_text(const struct builtin_column *builtin, const struct view_context *context,
                         const struct row *row, char *text, size_t size);

/* The text of a cell that is not known because the row is that of all CPUs: "all" or nothing; false
 * for other rows. */
bool builtin_column_of_total(const struct builtin_column *builtin,
                             const struct view_context *context, const struct row *row, char *text);

#endif
