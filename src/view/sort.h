/* The order of rows. */
#ifndef VIEW_SORT_H
#define VIEW_SORT_H

#include "base/str.h"
#include "view/column.h"

/* A row with its key: made once per row, for a key may cost a look into /proc. */
struct sort_item {
    uint64_t key[2]; /* compare as what the column has: a number, or the beginning of a text */
    uint64_t id;     /* decides between equal keys */
    const struct row *row;
    uint32_t place; /* before sorting */
    uint32_t text;  /* where a text begins in the sorter's texts */
    bool absent;    /* has no value */
};

/* Keeps its room from one time to the next: a sort of no more rows than before allocates nothing
 * (qsort_r(3) would). */
struct sorter {
    struct sort_item *items; /* in order */
    struct sort_item *spare;
    size_t room, spare_room;
    struct str texts; /* to be initialized before the first sort */
    bool text, ascending;
};

void sorter_release(struct sorter *sorter);

/* Sorts by a column; rows without a value come last either way, equal ones in the order of their
 * thread ids (CPUs: numbers), and where those are equal too as they were. sorter->items tells where
 * each was before. */
void sort_rows(struct sorter *sorter, const struct row **rows, size_t count,
               const struct column *column, bool ascending, const struct view_context *context);

#endif
