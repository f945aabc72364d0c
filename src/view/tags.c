#include "view/tags.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

void tags_init(struct tags *tags)
{
    *tags = (struct tags){0};
    map_init(&tags->by_id);
}

void tags_release(struct tags *tags)
{
    free(tags->items);
    map_release(&tags->by_id);
    tags_init(tags);
}

static struct view_tagged *tags_find(const struct tags *tags, uint64_t id)
{
    uintptr_t number = (uintptr_t)map_get(&tags->by_id, id);
    return number ? &tags->items[number - 1] : NULL;
}

static void number_all(struct tags *tags)
{
    map_clear(&tags->by_id);
    for (size_t i = 0; i < tags->count; i++)
        map_put(&tags->by_id, tags->items[i].id, (void *)(uintptr_t)(i + 1));
}

bool tags_has(const struct tags *tags, uint64_t id)
{
    return tags_find(tags, id) != NULL;
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
    struct view_tagged *item = tags_find(tags, row->id);
    if (tagged && !item) {
        mem_grow(&tags->items, &tags->room, tags->count + 1, sizeof(*tags->items));
        item = &tags->items[tags->count++];
        *item = (struct view_tagged){0};
        tags_describe(item, row);
        map_put(&tags->by_id, row->id, (void *)(uintptr_t)tags->count);
    } else if (!tagged && item) {
        tags->count--;
        memmove(item, item + 1, (size_t)(tags->items + tags->count - item) * sizeof(*item));
        number_all(tags);
    }
}

void tags_clear(struct tags *tags)
{
    tags->count = 0;
    map_clear(&tags->by_id);
}

static void drop_ended(struct tags *tags)
{
    size_t kept = 0;
    for (size_t i = 0; i < tags->count; i++)
        if (!tags->items[i].exited)
            tags->items[kept++] = tags->items[i];
    if (kept == tags->count)
        return;
    tags->count = kept;
    number_all(tags);
}

static void tags_learn(struct tags *tags, const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct view_tagged *item = tags_find(tags, rows[i].id);
        if (item)
            tags_describe(item, &rows[i]);
    }
}

void tags_take(struct tags *tags, const struct frame *frame, bool kept)
{
    if (tags->count == 0 || frame->totals || frame->seq <= tags->seq)
        return;
    tags->seq = frame->seq;
    if (!kept)
        drop_ended(tags);
    tags_learn(tags, frame->processes, frame->process_count);
    tags_learn(tags, frame->threads, frame->thread_count);
}
