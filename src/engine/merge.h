/* Streams in the order of the records that are next in line. */
#ifndef ENGINE_MERGE_H
#define ENGINE_MERGE_H

#include "engine/cpu_events.h"

struct merge {
    size_t count, room;
    struct stream **heap; /* no stream is earlier than the one at half its index */
};

void merge_release(struct merge *merge); /* a zeroed one is empty */

/* Adds a stream that has a record at hand. */
void merge_add(struct merge *merge, struct stream *stream);

/* The stream whose record is the earliest; NULL when there is none. */
struct stream *merge_first(const struct merge *merge);

/* The first stream's record was taken: whether it has another one at hand now. */
void merge_advance(struct merge *merge, bool more);

void merge_clear(struct merge *merge);

#endif
