#include "model/row_store.h"
#include "base/mem.h"

#include <stdlib.h>

struct row_store {
    size_t users;
    struct {
        void *rows; /* NULL: none */
        size_t room;
    } kept[ROW_ARRAYS];
};

struct row_store *row_store_new(void)
{
    struct row_store *store = mem_alloc(sizeof(*store));
    store->users = 1;
    return store;
}

struct row_store *row_store_share(struct row_store *store)
{
    if (store)
        store->users++;
    return store;
}

void row_store_drop(struct row_store *store)
{
    if (!store || --store->users > 0)
        return;
    for (size_t i = 0; i < ROW_ARRAYS; i++)
        free(store->kept[i].rows);
    free(store);
}

void *row_store_take(struct row_store *store, enum row_array which, size_t need, size_t size,
                     size_t *room)
{
    *room = need;
    if (!store)
        return mem_resize(NULL, need, size);
    void *rows = store->kept[which].rows;
    size_t kept = store->kept[which].room;
    store->kept[which].rows = NULL;
    if (rows && need <= kept && kept / 2 <= need) {
        *room = kept;
        return rows;
    }
    free(rows);
    *room += need / 8; /* for those that are born */
    return mem_resize(NULL, *room, size);
}

void row_store_give(struct row_store *store, enum row_array which, void *rows, size_t room)
{
    if (!store) {
        free(rows);
        return;
    }
    free(store->kept[which].rows);
    store->kept[which].rows = rows;
    store->kept[which].room = room;
}
