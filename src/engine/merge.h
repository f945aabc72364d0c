/* Merges streams of records by time: a heap of streams, ordered by their next record. */
#ifndef ENGINE_MERGE_H
#define ENGINE_MERGE_H

#include "engine/cpu_events.h"

struct merge {
    size_t count, room;
    struct stream **heap; /* no stream is earlier than the one at half its index */
};

void merge_release(struct merge *merge); /* a zeroed one is empty */

/* Adds a stream that has a next record. */
void merge_add(struct merge *merge, struct stream *stream);

/* The stream with the earliest record; NULL if there is none. */
static inline struct stream *merge_first(const struct merge *merge)
{
    return merge->count ? merge->heap[0] : NULL;
}

/* Call after taking the first stream's record. more: it has another one. */
void merge_advance(struct merge *merge, bool more);

#endif
