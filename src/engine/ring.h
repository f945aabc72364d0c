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
    size_t size;                       /* of the data, a power of two */
    uint64_t head;                     /* the kernel's, from ring_update */
    uint64_t tail;                     /* everything before it may be overwritten */
    void *straight;                    /* copy of a record that wraps */
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
const struct perf_event_header *ring_peek(struct ring *ring);
void ring_pop(struct ring *ring, const struct perf_event_header *record);

/* Gives the space of popped records back to the kernel. */
void ring_release(struct ring *ring);

#endif
