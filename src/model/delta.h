/* Makes frames from snapshots: a frame has what was counted between two of them. A delta keeps the
 * cumulative counts of the last snapshot that it got. */
#pragma once

#include "model/frame.h"

/* watch: of a source that does not count CPUs, the total has the tasks of it; NULL: all. It is
 * borrowed, and may change. */
struct delta *delta_new(const struct watch *watch);
void delta_free(struct delta *delta);

/* The frame from the previous snapshot to this one, or from the beginning of a new generation. The
 * caller frees the frame and keeps the snapshot. */
struct frame *delta_advance(struct delta *delta, const struct snapshot *snapshot);

/* Lets the first frame begin at this snapshot, of the first generation: what was counted before is
 * in no frame. The program's own cost is still that since its start. */
void delta_begin(struct delta *delta, const struct snapshot *snapshot);

/* The frame between two snapshots of a generation, made without those before; from NULL: since its
 * beginning (sample/snapshot.h). The caller frees it and keeps the snapshots. watch: as above. */
struct frame *delta_between(const struct snapshot *from, const struct snapshot *to,
                            const struct watch *watch);

/* --- A frame as the snapshot of its interval, which is the form that recordings store --- */

/* The snapshot of a frame's interval, as if counting had begun at 0 with the interval: its counts
 * are exactly those before scaling. The caller frees it. */
struct snapshot *frame_snapshot_of_frame(const struct frame *frame, uint64_t generation);

/* The frame of such a snapshot; seq is the frame's number, watch as above. The caller frees it, and
 * keeps the snapshot. */
struct frame *frame_snapshot_frame(const struct snapshot *interval, uint64_t seq,
                                   const struct watch *watch);
