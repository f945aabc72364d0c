#include "base/map.h"
#include "unit/test.h"

#include <string.h>

/* Against a plain array: keys come and go in an order that wraps, collides and grows. */
static void like_an_array(void **state)
{
    enum { KEYS = 300, STEPS = 60000 };
    static char values[KEYS];
    static void *plain[KEYS];
    struct map map = {0};
    uint64_t random = 1;
    size_t count = 0;
    for (int i = 0; i < STEPS; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        size_t key = (random >> 33) % KEYS;
        void *before = plain[key];
        if (random >> 62) {
            assert_ptr_equal(map_remove(&map, key), before);
            plain[key] = NULL;
            count -= before != NULL;
        } else {
            plain[key] = &values[(random >> 40) % KEYS];
            assert_ptr_equal(map_put(&map, key, plain[key]), before);
            count += before == NULL;
        }
        assert_int_equal(map.count, count);
        if (i % 97)
            continue;
        for (size_t k = 0; k < KEYS; k++)
            assert_ptr_equal(map_get(&map, k), plain[k]);
        size_t walked = 0;
        for (size_t at = 0; map_next(&map, &at);)
            walked++;
        assert_int_equal(walked, count);
    }
    map_release(&map);
}

static void a_walk_meets_each_value_once(void **state)
{
    struct map map = {0};
    static char seen[5000];
    memset(seen, 0, sizeof(seen));
    for (size_t i = 0; i < sizeof(seen); i++)
        map_put(&map, (uint64_t)i << 32, &seen[i]);
    char *value;
    for (size_t at = 0; (value = map_next(&map, &at));)
        ++*value;
    for (size_t i = 0; i < sizeof(seen); i++)
        assert_int_equal(seen[i], 1);
    map_release(&map);
}
