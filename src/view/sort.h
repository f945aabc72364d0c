/* Sorting rows. */
#ifndef VIEW_SORT_H
#define VIEW_SORT_H

#include "base/map.h"
#include "base/str.h"
#include "view/column.h"

/* A row with its key. The key is made once per row, because that may read /proc. */
struct sort_item {
    uint64_t key[2]; /* compare like the column's numbers or beginnings of texts */
    uint64_t id;     /* decides between equal keys */
    const struct row *row;
    uint32_t place; /* index before sorting */
    uint32_t text;  /* offset in the sorter's texts */
    bool absent;    /* has no value */
};

/* Keeps its memory: a sort of no more rows than before allocates nothing (qsort_r(3) would). */
struct sorter {
    struct sort_item *items; /* sorted */
    struct sort_item *spare;
    size_t room, spare_room;
    struct str texts;        /* initialize before the first sort */
    struct map places;       /* of tasks on a terminal, by the ids of rows: where the last sort by a
                              * measured column put them, from 1 */
    enum view_amount amount; /* at that sort */
    bool text, ascending;
};

void sorter_release(struct sorter *sorter);

/* Sorts by a column. Rows without a value come last in both directions. Equal rows are sorted by
 * thread id (CPUs: number), then stay in their order; on a terminal tasks whose cells show the
 * same measured number stay in the order of the last such sort of that amount, with new ones below.
 * sorter->items has the old index of each row. */
void sort_rows(struct sorter *sorter, const struct row **rows, size_t count,
               const struct column *column, bool ascending, const struct view_context *context);

#endif
