/* Makes frames from snapshots: keeps the cumulative counts of the last one. */
#ifndef MODEL_DELTA_H
#define MODEL_DELTA_H

#include "model/frame.h"

struct delta;

struct delta *delta_new(void);
void delta_free(struct delta *delta);

/* The frame from the previous snapshot to this one, or from the beginning of a new generation. The
 * caller frees the frame and keeps the snapshot. */
struct frame *delta_advance(struct delta *delta, const struct snapshot *snapshot);

/* Makes the first frame begin at this snapshot of the first generation: earlier counts are in no
 * frame. The program's own cost still starts with the program. */
void delta_begin(struct delta *delta, const struct snapshot *snapshot);

/* The frame from the beginning of a snapshot's generation to the snapshot. */
struct frame *delta_alone(const struct snapshot *snapshot);
/* The frame between two snapshots of a generation. */
struct frame *delta_between(const struct snapshot *from, const struct snapshot *to);

#endif
