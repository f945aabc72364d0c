/* Totals of everything that is watched since the beginning of a generation, including ended
 * tasks. */
#pragma once

#include "model/frame.h"

/* ended_most: number of ended threads that are kept; 0: all. Beyond that, those first seen are
 * added up in one row of their process, or if that has ended too, of a process without pid; both
 * rows have the name "(ended)". So sums stay right, and memory is bounded. */
struct totals *totals_new(size_t ended_most);
void totals_free(struct totals *totals); /* NULL is fine */

/* Like delta_begin(), before the first snapshot is taken. Takes ownership of this one. */
void totals_begin(struct totals *totals, struct snapshot *snapshot);

/* Takes a snapshot's tasks that are or may be watched; not the others, to save memory. A new
 * generation starts at 0. */
void totals_take(struct totals *totals, const struct snapshot *snapshot, const struct watch *watch);

/* Adds a snapshot of a single interval (model/delta.h). */
void totals_add(struct totals *totals, const struct snapshot *interval, const struct watch *watch);

/* The frame from the beginning of the generation to the last snapshot; NULL before the first. The
 * caller frees it. */
struct frame *totals_frame(const struct totals *totals);
