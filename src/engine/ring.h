/* The ring of records that the kernel fills and we empty (perf_event_open(2), "MMAP layout"). */
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
    uint64_t head;                     /* the kernel's, as last looked at */
    uint64_t tail;                     /* ours: everything before it may be overwritten */
    void *straight;                    /* a record that wraps is put together here */
};

/* Maps a ring of `bytes` (rounded down to a power of two of pages, but one at least) on fd. -1 with
 * a message, and errno ENOBUFS where the mlock limit or the memory does not allow that size
 * (perf_event_open(2), perf_event_mlock_kb). */
int ring_open(struct ring *ring, int fd, size_t bytes, struct err *err);
void ring_close(struct ring *ring);

size_t ring_smaller(size_t bytes); /* the next smaller size to try, 0: there is none */

/* What is to be told of so many rings of `bytes` instead of `wanted`, which the caller frees; NULL
 * where they are not smaller. */
char *ring_note(size_t bytes, size_t wanted, size_t rings);

/* Looks where the kernel has got to; nowhere in one that is not mapped. */
void ring_update(struct ring *ring);

/* Whether there may have been no room for a record. The kernel tells of a loss by a record too, and
 * only when it writes the next one (kernel/events/ring_buffer.c, __perf_output_begin()). */
bool ring_full(const struct ring *ring);

/* The next record before the head, NULL when there is none. It stays valid until ring_pop. A record
 * of impossible size empties the ring: what the kernel wrote cannot be told apart any more. */
const struct perf_event_header *ring_peek(struct ring *ring);
void ring_pop(struct ring *ring, const struct perf_event_header *record);

/* Gives what was popped back to the kernel. */
void ring_release(struct ring *ring);

#endif
