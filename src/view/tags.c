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

/* Drops one of them, or with item NULL all ended ones. */
static void tags_drop(struct tags *tags, const struct view_tagged *item)
{
    size_t kept = 0;
    map_clear(&tags->by_id);
    for (size_t i = 0; i < tags->count; i++)
        if (item ? item != &tags->items[i] : !tags->items[i].exited) {
            tags->items[kept++] = tags->items[i];
            map_put(&tags->by_id, tags->items[i].id, (void *)(uintptr_t)kept);
        }
    tags->count = kept;
}

static void tags_describe(struct view_tagged *tagged, const struct row *row)
{
    tagged->id = row->id;
    tagged->pid = row->pid;
    tagged->tid = row->tid;
    memcpy(tagged->comm, row->comm, sizeof(tagged->comm));
    tagged->exited |= row->exited;
}

void tags_set(struct tags *tags, const struct row *row, bool tagged)
{
    size_t number = tags_find(tags, row->id);
    if (number && !tagged)
        tags_drop(tags, &tags->items[number - 1]);
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

static void tags_learn(struct tags *tags, const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t number = tags_find(tags, rows[i].id);
        if (number)
            tags_describe(&tags->items[number - 1], &rows[i]);
    }
}

void tags_take(struct tags *tags, const struct frame *frame, bool kept)
{
    if (tags->count == 0 || frame->totals || frame->seq <= tags->seq)
        return;
    tags->seq = frame->seq;
    if (!kept)
        tags_drop(tags, NULL);
    tags_learn(tags, frame->processes, frame->process_count);
    tags_learn(tags, frame->threads, frame->thread_count);
}
