/* All objects of a book, each once. Part of code/code_book. */
#ifndef CODE_OBJECT_TABLE_H
#define CODE_OBJECT_TABLE_H

#include "code/code_mapping.h"
#include "code/code_object.h"
#include "code/code_space.h"

struct object_table { /* zeroed: empty */
    struct object **objects;
    size_t count, room;
    struct map keys;             /* index + 1 of objects, by what identifies them */
    struct image_reader *images; /* of files; the book's */
};

void object_table_release(struct object_table *table);

/* The object of that kind, name and path; if it is new, *made is set, and its facts are to be
 * filled. Objects beyond a limit are the first one. */
struct object *object_for(struct object_table *table, enum object_kind kind, const char *name,
                          const char *path, bool *made);
/* The object of a mapping. */
struct object *object_mapped(struct object_table *table, struct code_space *space,
                             const struct code_mapping *mapping);
/* That of the code that a process makes at run time. */
struct object *object_jit(struct object_table *table, struct code_space *space);

/* The object for addresses that no mapping of the process contains: one for each reason why the
 * mappings are incomplete; OBJECT_UNMAPPED if they are complete. */
struct object *object_unmapped(struct object_table *table, const struct code_space *space);
extern const char OBJECT_UNMAPPED[];
/* The number of the first object that has the same file, which was read. */
uint32_t object_same(const struct object_table *table, const struct object *object);

#endif
