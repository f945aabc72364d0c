#include "engine/merge.h"
#include "base/mem.h"

#include <stdlib.h>

void merge_release(struct merge *merge)
{
    free(merge->heap);
    *merge = (struct merge){0};
}

void merge_add(struct merge *merge, struct stream *stream)
{
    mem_grow(&merge->heap, &merge->room, merge->count + 1, sizeof(*merge->heap));
    struct stream **heap = merge->heap;
    size_t at = merge->count++, parent;
    for (; at > 0 && stream->record.time < heap[parent = (at - 1) / 2]->record.time; at = parent)
        heap[at] = heap[parent];
    heap[at] = stream;
}

void merge_advance(struct merge *merge, bool more)
{
    struct stream **heap = merge->heap;
    if (!more)
        merge->count--;
    if (merge->count == 0)
        return;
    struct stream *moved = more ? heap[0] : heap[merge->count];
    size_t at = 0, child;
    while ((child = 2 * at + 1) < merge->count) {
        if (child + 1 < merge->count && heap[child + 1]->record.time < heap[child]->record.time)
            child++;
        if (moved->record.time <= heap[child]->record.time)
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = moved;
}
