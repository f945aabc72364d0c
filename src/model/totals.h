/* What was counted from the beginning of a generation on: the totals of all that is watched, with
 * the tasks that have ended since: all of them, or so many, and the others added up. */
#ifndef MODEL_TOTALS_H
#define MODEL_TOTALS_H

#include "model/frame.h"

struct totals;

/* ended_most: of threads that ended, how many are kept at most; beyond, those first seen are added
 * up into one row of their process, or where that has ended too, of a process without pid; both
 * have the name "(ended)". So sums stay what they are, and memory has a bound. 0: all are kept. */
struct totals *totals_new(size_t ended_most);
void totals_free(struct totals *totals); /* NULL is fine */

/* The same as delta_begin(), before the first snapshot is taken. Takes this one over. */
void totals_begin(struct totals *totals, struct snapshot *snapshot);

/* Remembers what a snapshot tells of the tasks that are watched, or may be; the others are let go
 * of, since memory grows with the number of tasks. A new generation begins anew. */
void totals_take(struct totals *totals, const struct snapshot *snapshot, const struct watch *watch);

/* The same for a snapshot of one interval alone (model/interval.h): its counts are added. */
void totals_add(struct totals *totals, const struct snapshot *interval, const struct watch *watch);

/* The frame from the beginning of the generation to the snapshot taken last; NULL before the first.
 * The caller frees it. */
struct frame *totals_frame(const struct totals *totals);

#endif
