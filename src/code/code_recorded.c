#include "code/code_recorded.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* Places of whole functions have the start with this bit changed, which no address of code has. */
static const uint64_t WHOLE = 1ull << 62;

uint64_t recorded_learn(struct object *object, uint64_t start, const char *name)
{
    if (!map_get(&object->known, start + 1)) {
        struct known_function *known = mem_alloc(sizeof(*known));
        *known = (struct known_function){.start = start,
                                         .name = name && *name ? mem_strdup(name) : NULL};
        map_put(&object->known, start + 1, known);
    }
    return start ^ WHOLE;
}

uint64_t recorded_address(struct object *object, uint64_t function, uint64_t address)
{
    if (function == UINT64_MAX || address == UINT64_MAX)
        return function;
    map_put(&object->inside, address + 1, (void *)(uintptr_t)((function ^ WHOLE) + 1));
    return address;
}

bool recorded_find(const struct object *object, uint64_t address, struct recorded_function *found)
{
    void *start = map_get(&object->inside, address + 1);
    found->start = start ? (uintptr_t)start - 1 : address ^ WHOLE;
    found->address = start ? address : found->start;
    found->whole = !start;
    const struct known_function *known = map_get(&object->known, found->start + 1);
    found->name = known ? known->name : NULL;
    return known && address != UINT64_MAX;
}

void recorded_code(struct object *object, uint64_t function, struct code_listing *listing,
                   struct line_table *lines)
{
    uint64_t start = function ^ WHOLE;
    code_listing_drop(map_get(&object->listings, start + 1));
    map_put(&object->listings, start + 1, listing);
    line_table_drop(map_get(&object->lines, start + 1));
    if (lines)
        map_put(&object->lines, start + 1, lines);
    else
        map_remove(&object->lines, start + 1);
}

static size_t source_index(const struct object *object, const char *path)
{
    size_t i = 0;
    while (i < object->source_count && strcmp(object->sources[i]->path, path) != 0)
        i++;
    return i;
}

void recorded_source(struct object *object, struct source_file *file)
{
    size_t at = source_index(object, file->path);
    mem_grow(&object->sources, &object->source_room, at + 1, sizeof(*object->sources));
    if (at < object->source_count)
        source_file_drop(object->sources[at]);
    else
        object->source_count++;
    object->sources[at] = file;
}

struct code_listing *recorded_listing(const struct object *object, uint64_t start)
{
    struct code_listing *listing = map_get(&object->listings, start + 1);
    if (listing)
        return code_listing_share(listing);
    listing = code_listing_new(start, 0);
    listing->reason =
        mem_strdup("a recording has the instructions of functions that were looked at meanwhile");
    return listing;
}

struct line_table *recorded_lines(const struct object *object, uint64_t start)
{
    struct line_table *lines = map_get(&object->lines, start + 1);
    return lines ? line_table_share(lines)
                 : line_table_none(mem_strdup("the recording has no lines of this function"));
}

struct source_file *recorded_file(const struct object *object, const char *path)
{
    size_t at = source_index(object, path);
    if (at < object->source_count)
        return source_file_share(object->sources[at]);
    return source_file_new(path);
}
