/* Turns snapshots into frames: remembers the cumulative counts of the last one. */
#ifndef MODEL_DELTA_H
#define MODEL_DELTA_H

#include "model/frame.h"

struct delta;

struct delta *delta_new(void);
void delta_free(struct delta *delta);

/* The frame from the snapshot given last to this one; for the first one of a generation, from the
 * beginning of that generation. The caller frees the frame, and keeps the snapshot. */
struct frame *delta_advance(struct delta *delta, const struct snapshot *snapshot);

/* Makes frames begin at that snapshot, of the first generation, and not before: what was counted
 * until then is in none of them, but for the program's own cost,
 * which is of the time since the program began. */
void delta_begin(struct delta *delta, const struct snapshot *snapshot);

/* The frame that a new delta would make of it, which is from the beginning of its generation. */
struct frame *delta_alone(const struct snapshot *snapshot);

/* The same from a snapshot on that it began at. */
struct frame *delta_between(const struct snapshot *from, const struct snapshot *to);

#endif
