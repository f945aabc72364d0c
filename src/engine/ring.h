/* A ring of records that the kernel writes and countertop reads (perf_event_open(2), "MMAP
 * layout"). */
#ifndef ENGINE_RING_H
#define ENGINE_RING_H

#include "base/err.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ring {
    struct perf_event_mmap_page *page; /* NULL: not mapped */
    const char *data; /* where the records are: the page, which the kernel writes, is read less */
    size_t size;      /* of the data, a power of two */
    uint64_t head;    /* the kernel's, from ring_update */
    uint64_t tail;    /* everything before it may be overwritten */
    uint64_t ahead;   /* for the reader: records before it were looked at */
    void *straight;   /* copy of a record that wraps; NULL: none has yet */
    size_t straight_room;
};

/* Maps a ring of `bytes` (rounded down to a power of two of pages, at least one) on fd. -1 with a
 * message, and errno ENOBUFS if the mlock limit or the memory does not allow that size
 * (perf_event_open(2), perf_event_mlock_kb). */
int ring_open(struct ring *ring, int fd, size_t bytes, struct err *err);
void ring_close(struct ring *ring);

size_t ring_smaller(size_t bytes); /* the next smaller size to try; 0: none */
/* The same with the next smaller sizes, where `most` is more than is allowed. */
int ring_open_within(struct ring *ring, int fd, size_t most, struct err *err);

/* Reads the kernel's head. Does nothing if the ring is not mapped. */
void ring_update(struct ring *ring);

/* Whether a record may not have fitted. The kernel also writes a record about losses, but only
 * together with the next one that fits (kernel/events/ring_buffer.c, __perf_output_begin()). */
bool ring_full(const struct ring *ring);

/* The next record before the head; NULL if there is none. Valid until ring_pop. A record of
 * impossible size empties the ring, since the records after it cannot be found. */
static inline const struct perf_event_header *ring_peek(struct ring *ring);
static inline void ring_pop(struct ring *ring, const struct perf_event_header *record);

/* Gives the space of popped records back to the kernel. */
void ring_release(struct ring *ring);

/* The record of that size at that offset, which wraps, in one piece. */
const struct perf_event_header *ring_straighten(struct ring *ring, size_t at, size_t size);

/* Inline, since they are called for each context switch of the machine. */
static inline const struct perf_event_header *ring_peek(struct ring *ring)
{
    uint64_t there = ring->head - ring->tail;
    if (there < sizeof(struct perf_event_header))
        return NULL;
    size_t at = ring->tail & (ring->size - 1);
    /* Sizes are multiples of 8 bytes, so a header never wraps. */
    const struct perf_event_header *record =
        (const struct perf_event_header *)(const void *)(ring->data + at);
    size_t size = record->size;
    if (size < sizeof(*record) || size % 8 || size > there || size > ring->size) {
        ring->tail = ring->head;
        return NULL;
    }
    return at + size <= ring->size ? record : ring_straighten(ring, at, size);
}

static inline void ring_pop(struct ring *ring, const struct perf_event_header *record)
{
    ring->tail += record->size;
}

#endif
