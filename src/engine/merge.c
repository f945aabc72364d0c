#include "engine/merge.h"
#include "base/mem.h"

#include <stdlib.h>

void merge_release(struct merge *merge)
{
    free(merge->heap);
    *merge = (struct merge){0};
}

void merge_add(struct merge *merge, void *source, uint64_t time)
{
    mem_grow(&merge->heap, &merge->room, merge->count + 1, sizeof(*merge->heap));
    struct merge_entry *heap = merge->heap, added = {time, source};
    size_t at = merge->count++, parent;
    for (; at > 0 && added.time < heap[parent = (at - 1) / 2].time; at = parent)
        heap[at] = heap[parent];
    heap[at] = added;
}

void merge_advance(struct merge *merge, bool more, uint64_t time)
{
    struct merge_entry *heap = merge->heap, moved = heap[0];
    if (more)
        moved.time = time;
    else
        moved = heap[--merge->count];
    size_t at = 0, child, count = merge->count;
    while ((child = 2 * at + 1) < count) {
        if (child + 1 < count && heap[child + 1].time < heap[child].time)
            child++;
        if (moved.time <= heap[child].time)
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = moved;
}
