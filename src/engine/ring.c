#include "engine/ring.h"

#include <sys/mman.h>

void merge_release(struct merge *merge)
{
    free(merge->heap);
    *merge = (struct merge){0};
}

void merge_add(struct merge *merge, void *source, uint64_t time)
{
    mem_grow(&merge->heap, &merge->room, merge->count + 1, sizeof(*merge->heap));
    struct merge_entry *heap = merge->heap, added = {time, source};
    size_t place = merge->count++, parent;
    for (; place > 0 && added.time < heap[parent = (place - 1) / 2].time; place = parent)
        heap[place] = heap[parent];
    heap[place] = added;
}

void merge_advance(struct merge *merge, bool more, uint64_t time)
{
    struct merge_entry *heap = merge->heap, moved = heap[0];
    if (more)
        moved.time = time;
    else
        moved = heap[--merge->count];
    size_t place = 0, child, count = merge->count;
    while ((child = 2 * place + 1) < count) {
        if (child + 1 < count && heap[child + 1].time < heap[child].time)
            child++;
        if (moved.time <= heap[child].time)
            break;
        heap[place] = heap[child];
        place = child;
    }
    heap[place] = moved;
}

enum {
    USUAL_RECORD = 1024, /* larger than a sample of a hundred events */
};

int ring_open(struct ring *ring, int fd, size_t bytes, struct err *err)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), size = page;
    while (size * 2 <= bytes)
        size *= 2;
    void *map = mmap(NULL, page + size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (map == MAP_FAILED) {
        err_set(err, "cannot map a ring of %zu KiB: %s%s", size >> 10, err_reason(errno),
                errno == EPERM ? "; raise the mlock limit ('ulimit -l', as root 'sysctl "
                                 "kernel.perf_event_mlock_kb')"
                               : "");
        errno = errno == EPERM || errno == ENOMEM ? ENOBUFS : errno;
        return -1;
    }
    const struct perf_event_mmap_page *head = map;
    *ring = (struct ring){.page = map, .data = (const char *)map + head->data_offset, .size = size};
    return 0;
}

void ring_close(struct ring *ring)
{
    if (ring->page)
        munmap(ring->page, (size_t)sysconf(_SC_PAGESIZE) + ring->size);
    free(ring->straight);
    *ring = (struct ring){0};
}

size_t ring_smaller(size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return bytes / 2 < page ? 0 : bytes / 2;
}

int ring_open_within(struct ring *ring, int fd, size_t most, struct err *err)
{
    int result = -1;
    errno = ENOBUFS;
    for (size_t bytes = most; bytes && result < 0 && errno == ENOBUFS; bytes = ring_smaller(bytes))
        result = ring_open(ring, fd, bytes, err);
    return result;
}

void ring_update(struct ring *ring)
{
    if (!ring->page)
        return;
    /* Pairs with the kernel's barrier before it writes data_head (kernel/events/ring_buffer.c,
     * perf_output_put_handle). */
    ring->head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
}

bool ring_full(const struct ring *ring)
{
    size_t room = ring->size / 8 < USUAL_RECORD ? ring->size / 8 : USUAL_RECORD;
    return ring->page && ring->head - ring->tail > ring->size - room;
}

const struct perf_event_header *ring_straighten(struct ring *ring, size_t offset, size_t size)
{
    size_t first = ring->size - offset;
    mem_grow(&ring->straight, &ring->straight_room, size, 1);
    memcpy(ring->straight, ring->data + offset, first);
    memcpy((char *)ring->straight + first, ring->data, size - first);
    return ring->straight;
}

void ring_release(struct ring *ring)
{
    if (ring->page)
        __atomic_store_n(&ring->page->data_tail, ring->tail, __ATOMIC_RELEASE);
}
