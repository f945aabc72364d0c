#include "engine/ring.h"
#include "base/mem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LARGEST_RECORD = 65536 }; /* perf_event_header.size has 16 bits */

int ring_open(struct ring *ring, int fd, size_t bytes, struct err *err)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), size = page;
    while (size * 2 <= bytes)
        size *= 2;
    void *map;
    for (;;) {
        map = mmap(NULL, page + size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (map != MAP_FAILED || (errno != EPERM && errno != ENOMEM) || size == page)
            break;
        size /= 2;
    }
    if (map == MAP_FAILED)
        return err_set(err, "cannot map a ring of %zu bytes: %s%s", size, strerror(errno),
                       errno == EPERM ? "; raise the mlock limit (ulimit -l)" : "");
    *ring = (struct ring){.page = map, .size = size, .straight = mem_alloc(LARGEST_RECORD)};
    return 0;
}

void ring_close(struct ring *ring)
{
    if (ring->page)
        munmap(ring->page, (size_t)sysconf(_SC_PAGESIZE) + ring->size);
    free(ring->straight);
    *ring = (struct ring){0};
}

void ring_update(struct ring *ring)
{
    /* Pairs with the kernel's barrier before it publishes data_head (kernel/events/ring_buffer.c,
     * perf_output_put_handle). */
    ring->head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
}

const struct perf_event_header *ring_peek(struct ring *ring)
{
    uint64_t there = ring->head - ring->tail;
    if (there < sizeof(struct perf_event_header))
        return NULL;
    const char *data = (const char *)ring->page + ring->page->data_offset;
    size_t at = ring->tail & (ring->size - 1);
    /* Records are multiples of 8 bytes: a header never wraps. */
    const struct perf_event_header *record = (const void *)(data + at);
    size_t size = record->size;
    if (size < sizeof(*record) || size % 8 || size > there || size > ring->size) {
        ring->tail = ring->head;
        return NULL;
    }
    if (at + size <= ring->size)
        return record;
    size_t first = ring->size - at;
    memcpy(ring->straight, record, first);
    memcpy((char *)ring->straight + first, data, size - first);
    return ring->straight;
}

void ring_pop(struct ring *ring, const struct perf_event_header *record)
{
    ring->tail += record->size;
}

void ring_release(struct ring *ring)
{
    __atomic_store_n(&ring->page->data_tail, ring->tail, __ATOMIC_RELEASE);
}
