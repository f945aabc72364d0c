/* A hash map from 64-bit keys to pointers (open addressing). Owns no value. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct map_slot {
    uint64_t key;
    void *value; /* NULL: free */
};

struct map { /* zeroed: empty */
    struct map_slot *slots;
    size_t room; /* a power of two, or 0 */
    size_t count;
    unsigned shift; /* of a key's hash, for a slot's index */
};

void map_release(struct map *map); /* empties it, and frees its memory */
/* For a local `AUTO_MAP struct map seen = {0};`: released where its block ends. */
#define AUTO_MAP __attribute__((unused, cleanup(map_release)))
void map_clear(struct map *map); /* empties it, and keeps that */
void map_free(struct map *map);  /* the same as map_release(), and frees all values by free(3) */
static inline void *map_get(const struct map *map, uint64_t key); /* NULL: no such key */
/* Sets the value of a key, which is not NULL. Returns the value that it had before; NULL: none. */
void *map_put(struct map *map, uint64_t key, void *value);
/* Takes a key out. Returns its value; NULL: there was no such key. */
void *map_remove(struct map *map, uint64_t key);

/* Walks over all values in no order: start with *at = 0; NULL at the end. The map must not be
 * changed during the walk. */
void *map_next(const struct map *map, size_t *at);
/* The same as a loop: `MAP_EACH (struct task, task, &tasks) use(task);`. The outer loop is for its
 * place alone. */
#define MAP_EACH(type, value, map)                                                                 \
    for (size_t value##_at = 0, value##_once = 1; value##_once--;)                                 \
        for (type * value; (value = map_next(map, &value##_at));)

/* For this header and map.c. Pids and serial numbers are dense: by the golden ratio they spread
 * best, and all bits of a key reach the upper ones of the product. */
static inline size_t map_home(const struct map *map, uint64_t key)
{
    return (size_t)((key * 0x9e3779b97f4a7c15u) >> map->shift);
}

/* The slot that has the key, or that it would have. */
static inline size_t map_find(const struct map *map, uint64_t key)
{
    size_t i = map_home(map, key);
    while (map->slots[i].value && map->slots[i].key != key)
        i = (i + 1) & (map->room - 1);
    return i;
}

/* Inline, since it is called for each context switch of the machine. */
static inline void *map_get(const struct map *map, uint64_t key)
{
    return map->room ? map->slots[map_find(map, key)].value : NULL;
}
