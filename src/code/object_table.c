#include "base/mem.h"
#include "base/str.h"
#include "code/book_parts.h"
#include "code/jit_dump.h"
#include "system/procfs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    OBJECTS_MAX = 1 << 16,
    TABLES_MAX = 24 << 20, /* bytes: two of the largest */
    ANSWERS_MAX = 1 << 17,
};

const char *object_text(struct object_table *table, char *text)
{
    const char *kept;
    if (!text)
        return NULL;
    uint64_t key = str_hash(text);
    for (; (kept = map_get(&table->texts, key)); key++)
        if (strcmp(kept, text) == 0) {
            free(text);
            return kept;
        }
    map_put(&table->texts, key, text);
    return text;
}

static uint64_t object_key(enum object_kind kind, const char *path)
{
    return str_hash(path) * 31 + kind;
}

/* Adds one with that key, or one of the next. */
static struct object *object_add(struct object_table *table, uint64_t key, enum object_kind kind,
                                 const char *name, const char *path, bool *made)
{
    *made = table->count < OBJECTS_MAX;
    if (!*made)
        return table->objects[0];
    struct object *object = mem_alloc(sizeof(*object));
    *object = (struct object){.number = (uint32_t)table->count,
                              .same = (uint32_t)table->count,
                              .kind = kind,
                              .name = mem_strdup(name),
                              .path = mem_strdup(path),
                              .list.fd = -1};
    mem_grow(&table->objects, &table->room, table->count + 1, sizeof(*table->objects));
    table->objects[table->count++] = object;
    while (map_get(&table->keys, key))
        key++;
    map_put(&table->keys, key, object);
    return object;
}

struct object *object_for(struct object_table *table, enum object_kind kind, const char *name,
                          const char *path, bool *made)
{
    uint64_t first = object_key(kind, path);
    struct object *object;
    *made = false;
    for (uint64_t key = first; (object = map_get(&table->keys, key)); key++)
        if (object->kind == kind && strcmp(object->name, name) == 0 &&
            strcmp(object->path, path) == 0)
            return object;
    return object_add(table, first, kind, name, path, made);
}

/* What has no code to be read, with the reason, which is its path: one object for each. */
static struct object *object_nothing(struct object_table *table, const char *name,
                                     const char *reason)
{
    bool made;
    struct object *object = object_for(table, OBJECT_NOTHING, name, reason, &made);
    if (made) {
        object->read = true;
        object->reason = *reason ? object->path : NULL;
    }
    return object;
}

const char OBJECT_UNMAPPED[] = "[unmapped]";

struct object *object_unmapped(struct object_table *table, const struct code_space *space)
{
    if (!space->unreadable && !table->unmapped) /* asked for each address that is none */
        table->unmapped =
            object_nothing(table, OBJECT_UNMAPPED, "no mapping of the process has the address");
    if (!space->unreadable)
        return table->unmapped;
    if (space->unreadable == ENOENT || space->unreadable == ESRCH)
        return object_nothing(table, "[ended process]",
                              "the process ended before its maps were read");
    AUTO_FREE char *reason = mem_printf("cannot read the maps of process %d: %s", (int)space->pid,
                                        strerror(space->unreadable));
    return object_nothing(table, "[maps unreadable]", reason);
}

uint32_t object_same(const struct object_table *table, const struct object *object)
{
    const struct elf_image *image = &object->image;
    for (size_t i = 0; image->build_id_size > 0 && i < table->count; i++) {
        const struct object *other = table->objects[i];
        if (other->kind == OBJECT_FILE && other->read && other->same == other->number &&
            str_equal(other->path, object->path) &&
            other->image.build_id_size == image->build_id_size &&
            memcmp(other->image.build_id, image->build_id, image->build_id_size) == 0)
            return other->number;
    }
    return object->number;
}

static bool is_file(const char *path)
{
    return *path == '/' && !str_starts(path, "//") && !str_starts(path, "/dev/zero") &&
           !str_starts(path, "/SYSV");
}

struct object *object_jit(struct object_table *table, struct code_space *space)
{
    bool made;
    char comm[16] = "";
    if (space->jit)
        return table->objects[space->jit];
    procfs_comm(space->pid, space->pid, comm);
    AUTO_FREE char *name = mem_printf("%s (made at run time)", *comm ? comm : "code");
    AUTO_FREE char *path =
        mem_printf("pid:%d:%zu", (int)space->pid, table->count); /* the only one */
    struct object *object = object_for(table, OBJECT_JIT, name, path, &made);
    if (made) {
        object->file.pid = space->pid;
        object->file.images = table->images;
        object->list.born = space->born;
        object_find_list(object);
        space->jit = object->number;
    }
    return object;
}

/* A file that was replaced has the same path: told apart by what identifies it. */
static struct object *object_file(struct object_table *table, pid_t pid,
                                  const struct code_mapping *mapping)
{
    bool made;
    uint64_t first = object_key(OBJECT_FILE, mapping->path);
    struct object *object;
    for (uint64_t key = first; (object = map_get(&table->keys, key)); key++) {
        const struct code_mapping *known = &object->file.mapping;
        if (object->kind == OBJECT_FILE && strcmp(object->path, mapping->path) == 0 &&
            known->build_id_size == mapping->build_id_size && known->inode == mapping->inode &&
            known->major == mapping->major && known->minor == mapping->minor &&
            memcmp(known->build_id, mapping->build_id, CODE_BUILD_ID_MAX) == 0)
            return object;
    }
    object = object_add(table, first, OBJECT_FILE, strrchr(mapping->path, '/') + 1, mapping->path,
                        &made);
    if (!made)
        return object;
    object->name[code_file_length(object->name)] = '\0';
    object->offsets = true;
    object->file = (struct code_file){pid, *mapping, table->images};
    object->file.mapping.path = object->path;
    return object;
}

struct object *object_mapped(struct object_table *table, struct code_space *space,
                             const struct code_mapping *mapping)
{
    bool made;
    if (strcmp(mapping->path, "[vdso]") == 0)
        return object_for(table, OBJECT_VDSO, "[vdso]", "", &made);
    if (str_starts(mapping->path, "[vsyscall]") || str_starts(mapping->path, "[uprobes]"))
        return object_nothing(table, mapping->path, "");
    if (!is_file(mapping->path)) /* of this process only */
        return object_jit(table, space);
    struct object *object = object_file(table, space->pid, mapping);
    if (object->kind == OBJECT_FILE && jit_dump_named(object->path))
        __atomic_store_n(&object_jit(table, space)->dump, object, __ATOMIC_RELEASE);
    return object;
}

void object_table_release(struct object_table *table)
{
    for (size_t o = 0; o < table->count; o++)
        object_free(table->objects[o]);
    free(table->objects);
    map_release(&table->keys);
    map_free(&table->texts);
}

/* ---- their functions ---- */

/* newer: only those whose functions it replaces; NULL: all. */
static void forget_answers(struct object_table *table, struct object *object,
                           const struct function_table *newer)
{
    struct map kept = {0};
    for (size_t i = 0; newer && i < object->answers.room; i++) {
        const struct map_slot *slot = &object->answers.slots[i];
        const struct known_function *known = slot->value;
        if (known && !function_table_overlaps(newer, known->size ? known->start : slot->key - 1,
                                              known->size ? known->size : 1))
            map_put(&kept, slot->key, slot->value);
    }
    table->answers -= object->answers.count - kept.count;
    map_release(&object->answers);
    object->answers = kept;
}

/* Gives up tables until there is room for that of an object. */
static void keep_limit(struct object_table *table, const struct object *but)
{
    while (table->bytes > TABLES_MAX) {
        struct object *oldest = NULL;
        for (size_t i = 0; i < table->count; i++) {
            struct object *object = table->objects[i];
            if (object != but && object->image.table.count > 0 &&
                (!oldest || object->used < oldest->used))
                oldest = object;
        }
        if (!oldest)
            return;
        table->bytes -= function_table_bytes(&oldest->image.table);
        function_table_empty(&oldest->image.table);
        oldest->emptied = true;
    }
}

void object_take(struct object_table *table, struct object *object, struct elf_image *image,
                 const struct function_table *newer, char *why)
{
    const char *reason = object_text(table, why);
    bool grown = newer->listed > 0;
    bool same =
        object->reason == reason && newer->count == 0 &&
        (grown || object->kind == OBJECT_FILE || object->image.table.sum == image->table.sum);
    /* It cannot be read any more: names are those of before. */
    bool lost = reason && !object->reason && image->table.count == 0;
    bool whole = !object->emptied && object->image.table.reach == 0;
    object->emptied = false;
    object->used = ++table->uses;
    if (object->read && (lost || (same && whole))) {
        elf_image_release(image);
        object->image.table.reach = 0; /* what is not known is not asked for again */
        return;
    }
    if (!same) {
        forget_answers(table, object, grown ? newer : NULL);
        if (object->kind != OBJECT_JIT) /* most functions stay: keep_known() compares them */
            map_free(&object->known);
        object_unlist(object);
        object->reason = reason;
    }
    table->bytes -= function_table_bytes(&object->image.table);
    elf_image_release(&object->image);
    object->image = *image;
    table->bytes += function_table_bytes(&object->image.table);
    keep_limit(table, object);
}

/* A function in the object's table, with its name, which is kept. */
static struct known_function *keep_known(struct object_table *table, struct object *object,
                                         const struct table_function *found)
{
    struct known_function *known = map_get(&object->known, found->start + 1);
    if (known && object->kind != OBJECT_JIT)
        return known;
    const char *name = function_table_name(&object->image.table, found);
    bool mangled = name && function_name_mangled(name);
    if (!known)
        map_put(&object->known, found->start + 1, known = mem_alloc(sizeof(*known)));
    char *text = name && !mangled ? function_name_shown(name, false) : mem_strdup(name);
    *known = (struct known_function){found->start, found->size, object_text(table, text), mangled};
    return known;
}

static void show_name(struct object_table *table, struct known_function *known)
{
    known->name = object_text(table, image_reader_name(table->images, known->name));
    known->mangled = false;
}

const struct known_function *object_function(struct object_table *table, struct object *object,
                                             uint64_t address, bool shown)
{
    static const struct known_function none;
    const struct function_table *functions = &object->image.table;
    struct known_function *known = map_get(&object->answers, address + 1);
    if (known && shown && known->mangled)
        show_name(table, known);
    if (known)
        return known;
    if (object->emptied || !function_table_covers(functions, address))
        return NULL;
    const struct table_function *found = function_table_find(functions, address);
    if (!found && functions->reach > 0 && address != functions->around) /* it may begin far away */
        return NULL;
    object->used = ++table->uses;
    known = found ? keep_known(table, object, found) : (struct known_function *)&none;
    for (size_t i = 0; table->answers >= ANSWERS_MAX && i < table->count; i++)
        forget_answers(table, table->objects[i], NULL);
    map_put(&object->answers, address + 1, known);
    table->answers++;
    if (shown && known->mangled)
        show_name(table, known);
    return known;
}
