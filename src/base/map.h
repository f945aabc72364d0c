/* A hash map from 64-bit keys to pointers (open addressing). Owns no value. */
#ifndef BASE_MAP_H
#define BASE_MAP_H

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
};

void map_release(struct map *map); /* empties it */
void map_clear(struct map *map);
void *map_get(const struct map *map, uint64_t key);        /* NULL: no such key */
void *map_put(struct map *map, uint64_t key, void *value); /* value not NULL; the old value */
void *map_remove(struct map *map, uint64_t key);           /* the value; NULL: no such key */

/* Walks over all values in no order: start with *at = 0; NULL at the end. The map must not be
 * changed during the walk. */
void *map_next(const struct map *map, size_t *at);

#endif
