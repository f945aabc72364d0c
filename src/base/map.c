#include "base/map.h"
#include "base/mem.h"

void map_release(struct map *map)
{
    free(map->slots);
    *map = (struct map){0};
}

void map_clear(struct map *map)
{
    if (map->slots)
        memset(map->slots, 0, map->room * sizeof(*map->slots));
    map->count = 0;
}

void map_free(struct map *map)
{
    void *value;
    for (size_t at = 0; (value = map_next(map, &at));)
        free(value);
    map_release(map);
}

void *map_put(struct map *map, uint64_t key, void *value)
{
    if ((map->count + 1) * 4 > map->room * 3) {
        struct map old = *map;
        map->room = old.room ? old.room * 2 : 64;
        map->shift = old.room ? old.shift - 1 : 64 - 6;
        map->slots = mem_array(map->room, sizeof(*map->slots));
        for (size_t i = 0; i < old.room; i++)
            if (old.slots[i].value)
                map->slots[map_find(map, old.slots[i].key)] = old.slots[i];
        free(old.slots);
    }
    struct map_slot *slot = &map->slots[map_find(map, key)];
    void *before = slot->value;
    if (!before)
        map->count++;
    *slot = (struct map_slot){key, value};
    return before;
}

void *map_remove(struct map *map, uint64_t key)
{
    if (!map->room)
        return NULL;
    size_t hole = map_find(map, key);
    void *value = map->slots[hole].value;
    if (!value)
        return NULL;
    map->count--;
    /* Close the hole: move back entries that a search would no longer reach beyond it. */
    for (size_t i = (hole + 1) & (map->room - 1); map->slots[i].value;
         i = (i + 1) & (map->room - 1)) {
        size_t want = map_home(map, map->slots[i].key);
        if (((i - want) & (map->room - 1)) >= ((i - hole) & (map->room - 1))) {
            map->slots[hole] = map->slots[i];
            hole = i;
        }
    }
    map->slots[hole] = (struct map_slot){0};
    return value;
}

void *map_next(const struct map *map, size_t *at)
{
    while (*at < map->room) {
        void *value = map->slots[(*at)++].value;
        if (value)
            return value;
    }
    return NULL;
}
