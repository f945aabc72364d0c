/* A frame as the snapshot that it could have been made of: what is recorded, so that it can be made
 * again. */
#ifndef MODEL_FRAME_SNAPSHOT_H
#define MODEL_FRAME_SNAPSHOT_H

#include "model/frame.h"

/* A snapshot of that interval alone: it began at 0, and its raw counts are those that were scaled
 * in the frame, to the last event. The caller frees it. */
struct snapshot *frame_snapshot_of_frame(const struct frame *frame, uint64_t generation);

/* The frame of such a snapshot. The caller frees it, and keeps the snapshot. */
struct frame *frame_snapshot_frame(const struct snapshot *interval, uint64_t seq);

#endif
