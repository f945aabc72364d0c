#include "code/book_parts.h"
#include "base/mem.h"
#include "base/str.h"

#include <stdlib.h>

enum {
    TABLES_MAX = 16 << 20, /* bytes */
    ANSWERS_MAX = 1 << 17,
};

static const struct known_function no_function;

/* Keeps a text that was given out, as long as the book. */
static void retire(struct known_store *store, char *text)
{
    mem_grow(&store->retired, &store->retired_room, store->retired_count + 1,
             sizeof(*store->retired));
    store->retired[store->retired_count++] = text;
}

static void forget_answers(struct known_store *store, struct object *object)
{
    store->answers -= object->answers.count;
    map_clear(&object->answers);
}

/* Forgets what was shown. */
static void forget_known(struct known_store *store, struct object *object)
{
    struct known_function *known;
    forget_answers(store, object);
    for (size_t at = 0; (known = map_next(&object->known, &at));) {
        if (known->name)
            retire(store, known->name);
        free(known);
    }
    map_clear(&object->known);
}

/* Gives up tables until there is room for that of an object. */
static void keep_limit(struct known_store *store, const struct object_table *objects,
                       const struct object *but)
{
    while (store->bytes > TABLES_MAX) {
        struct object *oldest = NULL;
        for (size_t i = 0; i < objects->count; i++) {
            struct object *object = objects->objects[i];
            if (object != but && object->image.table.count > 0 &&
                (!oldest || object->used < oldest->used))
                oldest = object;
        }
        if (!oldest)
            return;
        store->bytes -= function_table_bytes(&oldest->image.table);
        function_table_empty(&oldest->image.table);
        oldest->emptied = true;
    }
}

void known_store_take(struct known_store *store, const struct object_table *objects,
                      struct object *object, struct elf_image *image, char *reason)
{
    bool same = str_equal(object->reason, reason) &&
                (object->kind == OBJECT_FILE || object->image.table.sum == image->table.sum);
    /* It cannot be read any more: names are those of before. */
    bool lost = reason && !object->reason && image->table.count == 0;
    bool whole = !object->emptied && object->image.table.reach == 0;
    object->emptied = false;
    object->used = ++store->uses;
    if (object->read && (lost || (same && whole))) {
        elf_image_release(image);
        object->image.table.reach = 0; /* what is not known is not asked for again */
        free(reason);
        return;
    }
    if (!same) {
        if (object->kind == OBJECT_JIT) /* most functions stay: keep_known() compares them */
            forget_answers(store, object);
        else
            forget_known(store, object);
        object_unlist(object);
        if (object->reason)
            retire(store, object->reason);
        object->reason = reason;
    } else {
        free(reason);
    }
    store->bytes -= function_table_bytes(&object->image.table);
    elf_image_release(&object->image);
    object->image = *image;
    store->bytes += function_table_bytes(&object->image.table);
    keep_limit(store, objects, object);
}

/* A function in the object's table, with the name as shown, which is kept. */
static struct known_function *keep_known(struct known_store *store, struct image_reader *images,
                                         struct object *object, const struct table_function *found)
{
    struct known_function *known = map_get(&object->known, found->start + 1);
    if (known && object->kind != OBJECT_JIT)
        return known;
    const char *name = function_table_name(&object->image.table, found);
    char *shown = name ? image_reader_name(images, name) : NULL;
    if (!known) {
        known = mem_alloc(sizeof(*known));
        map_put(&object->known, found->start + 1, known);
    }
    if (known->name && str_equal(known->name, shown)) {
        free(shown);
        shown = known->name;
    } else if (known->name) {
        retire(store, known->name);
    }
    *known = (struct known_function){found->start, found->size, shown};
    return known;
}

const struct known_function *known_store_find(struct known_store *store,
                                              const struct object_table *objects,
                                              struct object *object, uint64_t address)
{
    const struct function_table *table = &object->image.table;
    struct known_function *known = map_get(&object->answers, address + 1);
    if (known)
        return known;
    if (object->emptied || !function_table_covers(table, address))
        return NULL;
    const struct table_function *found = function_table_find(table, address);
    if (!found && table->reach > 0 && address != table->around) /* it may begin far away */
        return NULL;
    object->used = ++store->uses;
    known = found ? keep_known(store, objects->images, object, found)
                  : (struct known_function *)&no_function;
    for (size_t i = 0; store->answers >= ANSWERS_MAX && i < objects->count; i++)
        forget_answers(store, objects->objects[i]);
    map_put(&object->answers, address + 1, known);
    store->answers++;
    return known;
}

void known_store_release(struct known_store *store)
{
    for (size_t i = 0; i < store->retired_count; i++)
        free(store->retired[i]);
    free(store->retired);
}
