/* A frame as the snapshot of its interval. Recordings store this form; the frame can be computed
 * from it. */
#ifndef MODEL_FRAME_SNAPSHOT_H
#define MODEL_FRAME_SNAPSHOT_H

#include "model/frame.h"

/* A snapshot of the frame's interval, in which counting began at 0; its raw counts are exactly
 * those before scaling. The caller frees it. */
struct snapshot *frame_snapshot_of_frame(const struct frame *frame, uint64_t generation);

/* The frame of such a snapshot. The caller frees it and keeps the snapshot. */
struct frame *frame_snapshot_frame(const struct snapshot *interval, uint64_t seq);

#endif
