/* A ring of records that the kernel writes and countertop reads (perf_event_open(2), "MMAP
 * layout"). */
#pragma once

#include "base/base.h"

#include <linux/perf_event.h>

/* Merges the records of several rings by time: a heap of the rings, ordered by the time of the next
 * record of each. The caller adds the rings that have a record, takes the record of merge_first(),
 * and says what comes next in that ring (merge_advance()), until none is left or the time is too
 * late; then it may set `count` to 0, and the other records stay in their rings. */

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

/* Call it after the first source's record was taken. more: that source has another record, of that
 * time; else it leaves the heap. */
void merge_advance(struct merge *merge, bool more, uint64_t time);

struct ring {
    struct perf_event_mmap_page *page; /* NULL: not mapped */
    const char *data; /* where the records are: the page, which the kernel writes, is read less */
    size_t size;      /* of the data, a power of two */
    uint64_t head;    /* the kernel's, from ring_update */
    uint64_t tail;    /* everything before it may be overwritten */
    uint64_t ahead;   /* free for the reader: up to here records were looked at, not popped */
    void *straight;   /* copy of a record that wraps; NULL: none has yet */
    size_t straight_room;
};

/* Maps a ring of `bytes` (rounded down to a power of two of pages, at least one) on fd. -1 with a
 * message, and errno ENOBUFS if the mlock limit or the memory does not allow that size
 * (perf_event_open(2), perf_event_mlock_kb). */
int ring_open(struct ring *ring, int fd, size_t bytes, struct err *err);
void ring_close(struct ring *ring);

size_t ring_smaller(size_t bytes); /* the next smaller size to try; 0: none */
/* As ring_open() with the largest size that is allowed, from `most` bytes down. */
int ring_open_within(struct ring *ring, int fd, size_t most, struct err *err);

/* Reads the kernel's head. Does nothing if the ring is not mapped. */
void ring_update(struct ring *ring);

/* Whether a record may not have fitted. The kernel also writes a record about losses, but only
 * together with the next one that fits (kernel/events/ring_buffer.c, __perf_output_begin()). */
bool ring_full(const struct ring *ring);

/* Whether the ring is a quarter full by what was not read yet. The kernel wakes the reader after as
 * many bytes (sys_record_attr()), but counts them from its last wake-up, read or not. */
static inline bool ring_filling(const struct ring *ring)
{
    return ring->head - ring->tail >= ring->size / 4;
}

/* Gives the space of popped records back to the kernel. */
void ring_release(struct ring *ring);

/* A copy in one piece of the record of that size, which begins at that place in the data and wraps.
 */
const struct perf_event_header *ring_straighten(struct ring *ring, size_t offset, size_t size);

/* Inline, since they are called for each context switch of the machine: */

/* The header of the record that begins at `offset`, which is the tail or the end of a record; its
 * record may wrap. NULL at the head, or if its size is impossible. */
static inline const struct perf_event_header *ring_header(const struct ring *ring, uint64_t offset)
{
    uint64_t there = ring->head - offset;
    if (there < sizeof(struct perf_event_header))
        return NULL;
    /* Sizes are multiples of 8 bytes, so a header never wraps, and no word does. */
    const struct perf_event_header *record =
        (const void *)(ring->data + (offset & (ring->size - 1)));
    size_t size = record->size;
    bool good = size >= sizeof(*record) && size % 8 == 0 && size <= there && size <= ring->size;
    return good ? record : NULL;
}

/* Fetches the records about 1 KiB after `offset` into the cache: another CPU wrote them. */
static inline void ring_fetch(const struct ring *ring, uint64_t offset)
{
    enum { AHEAD = 1024 };
    __builtin_prefetch(ring->data + ((offset + AHEAD) & (ring->size - 1)));
}

/* The last word of the record of that size that begins at `offset`. */
static inline uint64_t ring_last_word(const struct ring *ring, uint64_t offset, size_t size)
{
    offset += size - sizeof(uint64_t);
    return *(const uint64_t *)(const void *)(ring->data + (offset & (ring->size - 1)));
}

/* The next record before the head; NULL if there is none. Valid until ring_pop. A record of
 * impossible size empties the ring, since the records after it cannot be found. */
static inline const struct perf_event_header *ring_peek(struct ring *ring)
{
    const struct perf_event_header *record = ring_header(ring, ring->tail);
    if (!record) {
        if (ring->head - ring->tail >= sizeof(*record))
            ring->tail = ring->head;
        return NULL;
    }
    size_t offset = ring->tail & (ring->size - 1), size = record->size;
    return offset + size <= ring->size ? record : ring_straighten(ring, offset, size);
}

static inline void ring_pop(struct ring *ring, const struct perf_event_header *record)
{
    ring->tail += record->size;
}
