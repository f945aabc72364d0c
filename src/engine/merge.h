/* Merges streams of records by time: a heap of streams, ordered by their next record. */
#ifndef ENGINE_MERGE_H
#define ENGINE_MERGE_H

#include "engine/cpu_events.h"

struct merge_entry {
    uint64_t time; /* of its next record */
    struct stream *stream;
};

struct merge {
    size_t count, room;
    struct merge_entry *heap; /* none is earlier than the one at half its index */
};

void merge_release(struct merge *merge); /* a zeroed one is empty */

/* Adds a stream that has a next record. */
void merge_add(struct merge *merge, struct stream *stream);

/* The stream with the earliest record; NULL if there is none. */
static inline struct stream *merge_first(const struct merge *merge)
{
    return merge->count ? merge->heap[0].stream : NULL;
}

/* The time of the earliest record of the other streams; UINT64_MAX if there is none. */
static inline uint64_t merge_second(const struct merge *merge)
{
    uint64_t left = merge->count > 1 ? merge->heap[1].time : UINT64_MAX;
    uint64_t right = merge->count > 2 ? merge->heap[2].time : UINT64_MAX;
    return left < right ? left : right;
}

/* Call after taking the first stream's record. more: it has another one. */
void merge_advance(struct merge *merge, bool more);

#endif
