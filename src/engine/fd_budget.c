#include "engine/fd_budget.h"

#include <stdlib.h>

static const double TIMES_BUSIER = 2;
static const double BUSIER_MIN = 0.0001;

/* Descending rate; among equals those with descriptors first, so that a search from the end finds
 * the least busy one that has some. */
static int by_rate(const void *a, const void *b)
{
    const struct fd_budget *x = a, *y = b;
    if (x->rate != y->rate)
        return x->rate < y->rate ? 1 : -1;
    return y->has - x->has;
}

/* Takes descriptors from the least busy, from index *end down, until there is room for one. Changes
 * nothing if that is impossible. */
static bool fd_budget_make_room(struct fd_budget *tasks, size_t one, size_t *end, size_t *room)
{
    const struct fd_budget *wanting = &tasks[one];
    size_t index = *end, there = *room;
    double given = 0;
    while (there < wanting->need && index > one + 1) {
        const struct fd_budget *last = &tasks[--index];
        if (!last->has)
            continue;
        given += last->rate;
        if (given * TIMES_BUSIER + BUSIER_MIN > wanting->rate)
            return false;
        there += last->need;
    }
    if (there < wanting->need)
        return false;
    for (size_t i = index; i < *end; i++)
        tasks[i].move |= tasks[i].has;
    *end = index;
    *room = there - wanting->need;
    return true;
}

size_t fd_budget_choose(struct fd_budget *tasks, size_t count, size_t room, size_t most)
{
    if (count)
        qsort(tasks, count, sizeof(*tasks), by_rate);
    for (size_t i = 0; i < count; i++)
        tasks[i].move = false;
    size_t moved = 0, end = count;
    for (size_t i = 0; i < count && moved < most; i++)
        if (!tasks[i].has && fd_budget_make_room(tasks, i, &end, &room)) {
            tasks[i].move = true;
            moved++;
        }
    return moved;
}
