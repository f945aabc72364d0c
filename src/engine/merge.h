/* Merges sources of records by time, such as rings: a heap of them, ordered by their next record.
 */
#ifndef ENGINE_MERGE_H
#define ENGINE_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct merge_entry {
    uint64_t time; /* of its next record */
    void *source;
};

struct merge {
    size_t count, room;
    struct merge_entry *heap; /* none is earlier than the one at half its index */
};

void merge_release(struct merge *merge); /* a zeroed one is empty */

/* Adds a source by the time of its next record. */
void merge_add(struct merge *merge, void *source, uint64_t time);

/* The source with the earliest record; NULL if there is none. */
static inline void *merge_first(const struct merge *merge)
{
    return merge->count ? merge->heap[0].source : NULL;
}

/* The time of the earliest record of the other sources; UINT64_MAX if there is none. */
static inline uint64_t merge_second(const struct merge *merge)
{
    uint64_t left = merge->count > 1 ? merge->heap[1].time : UINT64_MAX;
    uint64_t right = merge->count > 2 ? merge->heap[2].time : UINT64_MAX;
    return left < right ? left : right;
}

/* Call after taking the first source's record. more: it has another one, of that time. */
void merge_advance(struct merge *merge, bool more, uint64_t time);

#endif
