/* The ring of records that the kernel fills and we empty (perf_event_open(2), "MMAP layout"). */
#ifndef ENGINE_RING_H
#define ENGINE_RING_H

#include "base/err.h"

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

struct ring {
    struct perf_event_mmap_page *page; /* NULL: not mapped */
    size_t size;                       /* of the data, a power of two */
    uint64_t head;                     /* the kernel's, as last looked at */
    uint64_t tail;                     /* ours: everything before it may be overwritten */
    void *straight;                    /* a record that wraps is put together here */
};

/* Maps a ring of at most `bytes` (rounded down to a power of two of pages) on fd; where the mlock
 * limit refuses that (EPERM), half of it and so on. -1 with a message. */
int ring_open(struct ring *ring, int fd, size_t bytes, struct err *err);
void ring_close(struct ring *ring);

/* Looks where the kernel has got to. */
void ring_update(struct ring *ring);

/* The next record before the head, NULL when there is none. It stays valid until ring_pop. A record
 * of impossible size empties the ring: what the kernel wrote cannot be told apart any more. */
const struct perf_event_header *ring_peek(struct ring *ring);
void ring_pop(struct ring *ring, const struct perf_event_header *record);

/* Gives what was popped back to the kernel. */
void ring_release(struct ring *ring);

#endif
