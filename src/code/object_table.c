#include "code/book_parts.h"
#include "base/mem.h"
#include "base/str.h"
#include "code/jit_dump.h"
#include "system/procfs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { OBJECTS_MAX = 1 << 16 };

static uint64_t hash_text(uint64_t hash, const char *text)
{
    for (; *text; text++) /* FNV-1a */
        hash = (hash ^ (unsigned char)*text) * 0x100000001b3;
    return hash;
}

/* The object with that key; if it is new, *made is set, and its facts are to be filled. */
static struct object *object_keyed(struct object_table *table, uint64_t key, enum object_kind kind,
                                   const char *name, const char *path, bool *made)
{
    void *found;
    *made = false;
    for (; (found = map_get(&table->keys, key)); key++) {
        struct object *object = table->objects[(uintptr_t)found - 1];
        if (object->kind == kind && strcmp(object->name, name) == 0 &&
            strcmp(object->path, path) == 0)
            return object;
    }
    if (table->count >= OBJECTS_MAX)
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
    map_put(&table->keys, key, (void *)(uintptr_t)table->count);
    *made = true;
    return object;
}

struct object *object_for(struct object_table *table, enum object_kind kind, const char *name,
                          const char *path, bool *made)
{
    uint64_t key = hash_text(hash_text(kind, name), path);
    return object_keyed(table, key, kind, name, path, made);
}

/* What has no code to be read, with the reason. */
static struct object *object_nothing(struct object_table *table, const char *name,
                                     const char *reason)
{
    bool made;
    uint64_t key = hash_text(hash_text(OBJECT_NOTHING, name), reason ? reason : "");
    struct object *object = object_keyed(table, key, OBJECT_NOTHING, name, "", &made);
    if (made) {
        object->read = true;
        object->reason = mem_strdup(reason);
    }
    return object;
}

const char OBJECT_UNMAPPED[] = "[unmapped]";

struct object *object_unmapped(struct object_table *table, const struct code_space *space)
{
    if (!space->unreadable)
        return object_nothing(table, OBJECT_UNMAPPED, "no mapping of the process has the address");
    bool gone = space->unreadable == ENOENT || space->unreadable == ESRCH;
    char *reason = gone ? mem_strdup("the process ended before its maps were read")
                        : mem_printf("cannot read the maps of process %d: %s", (int)space->pid,
                                     strerror(space->unreadable));
    struct object *object =
        object_nothing(table, gone ? "[ended process]" : "[maps unreadable]", reason);
    free(reason);
    return object;
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
    char *name = mem_printf("%s (made at run time)", *comm ? comm : "code");
    char *path = mem_printf("pid:%d:%zu", (int)space->pid, table->count); /* there is no other */
    struct object *object = object_for(table, OBJECT_JIT, name, path, &made);
    if (made) {
        object->file.pid = space->pid;
        object->file.images = table->images;
        object->list.born = space->born;
        space->jit = object->number;
    }
    free(path);
    free(name);
    return object;
}

static struct object *object_file(struct object_table *table, pid_t pid,
                                  const struct code_mapping *mapping)
{
    bool made;
    const char *slash = strrchr(mapping->path, '/');
    uint64_t key = hash_text(OBJECT_FILE, mapping->path) ^ mapping->inode << 20 ^
                   (uint64_t)mapping->minor << 8 ^ mapping->major;
    for (size_t i = 0; i < mapping->build_id_size; i++)
        key = (key ^ mapping->build_id[i]) * 0x100000001b3;
    /* A file that was replaced has the same path: told apart by what identifies it. */
    for (void *found; (found = map_get(&table->keys, key)); key++) {
        struct object *object = table->objects[(uintptr_t)found - 1];
        const struct code_file *file = &object->file;
        if (object->kind == OBJECT_FILE && strcmp(object->path, mapping->path) == 0 &&
            file->build_id_size == mapping->build_id_size && file->inode == mapping->inode &&
            file->major == mapping->major && file->minor == mapping->minor &&
            memcmp(file->build_id, mapping->build_id, CODE_BUILD_ID_MAX) == 0)
            return object;
    }
    struct object *object = object_keyed(table, key, OBJECT_FILE, slash + 1, mapping->path, &made);
    if (!made)
        return object;
    object->name[code_file_length(object->name)] = '\0';
    object->offsets = true;
    object->file = (struct code_file){
        .pid = pid,
        .start = mapping->start,
        .end = mapping->start + mapping->size,
        .major = mapping->major,
        .minor = mapping->minor,
        .inode = mapping->inode,
        .build_id_size = mapping->build_id_size,
        .path = object->path,
        .images = table->images,
    };
    memcpy(object->file.build_id, mapping->build_id, CODE_BUILD_ID_MAX);
    return object;
}

struct object *object_mapped(struct object_table *table, struct code_space *space,
                             const struct code_mapping *mapping)
{
    bool made;
    if (strcmp(mapping->path, "[vdso]") == 0)
        return object_for(table, OBJECT_VDSO, "[vdso]", "", &made);
    if (str_starts(mapping->path, "[vsyscall]") || str_starts(mapping->path, "[uprobes]"))
        return object_nothing(table, mapping->path, NULL);
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
}
