#include "view/tags.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

void tags_release(struct tags *tags)
{
    free(tags->items);
    map_release(&tags->by_id);
}

/* Its index + 1; 0: not tagged. */
static size_t tags_find(const struct tags *tags, uint64_t id)
{
    return (uintptr_t)map_get(&tags->by_id, id);
}

bool tags_has(const struct tags *tags, uint64_t id)
{
    return tags_find(tags, id) != 0;
}

/* Drops the one with that index, or with SIZE_MAX all ended ones. */
static void tags_drop(struct tags *tags, size_t index)
{
    size_t count = tags->count;
    tags_clear(tags);
    for (size_t i = 0; i < count; i++)
        if (index == SIZE_MAX ? !tags->items[i].exited : i != index) {
            tags->items[tags->count++] = tags->items[i];
            map_put(&tags->by_id, tags->items[i].id, (void *)(uintptr_t)tags->count);
        }
}

static void tags_describe(struct view_tagged *tagged, const struct row *row)
{
    *tagged = (struct view_tagged){
        .id = row->id, .pid = row->pid, .tid = row->tid, .exited = tagged->exited || row->exited};
    memcpy(tagged->comm, row->comm, sizeof(tagged->comm));
}

void tags_set(struct tags *tags, const struct row *row, bool tagged)
{
    size_t number = tags_find(tags, row->id);
    if (number && !tagged)
        tags_drop(tags, number - 1);
    if (number || !tagged)
        return;
    mem_grow(&tags->items, &tags->room, tags->count + 1, sizeof(*tags->items));
    tags->items[tags->count] = (struct view_tagged){0};
    tags_describe(&tags->items[tags->count++], row);
    map_put(&tags->by_id, row->id, (void *)(uintptr_t)tags->count);
}

void tags_clear(struct tags *tags)
{
    tags->count = 0;
    map_clear(&tags->by_id);
}

void tags_take(struct tags *tags, const struct frame *frame, bool kept)
{
    if (tags->count == 0 || frame->totals || frame->seq <= tags->seq)
        return;
    tags->seq = frame->seq;
    if (!kept)
        tags_drop(tags, SIZE_MAX);
    for (size_t i = 0; i < frame->process_count + frame->thread_count; i++) {
        size_t thread = i - frame->process_count;
        const struct row *row =
            i < frame->process_count ? &frame->processes[i] : &frame->threads[thread];
        size_t number = tags_find(tags, row->id);
        if (number)
            tags_describe(&tags->items[number - 1], row);
    }
}
