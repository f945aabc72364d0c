/* The tables of functions of all objects, which together have a limit: where they are larger, those
 * that were asked longest ago are given up, and read again when they are needed. What was found in
 * them is kept by address, so that what is shown needs no table. Part of code/code_book. */
#ifndef CODE_KNOWN_STORE_H
#define CODE_KNOWN_STORE_H

#include "code/object_table.h"

struct known_store { /* zeroed: empty */
    size_t bytes;    /* of all tables */
    size_t answers;  /* of all objects; when there are too many, all are forgotten */
    uint64_t uses;   /* of tables */
    char **retired;  /* texts that were given out and are no longer used here */
    size_t retired_count, retired_room;
};

void known_store_release(struct known_store *store); /* after the objects */

/* Takes over what was read of an object, with the reason why not all. What has changed since it was
 * read before (code that is made at run time may have another function at the same address) has no
 * names of then; a file is the same. */
void known_store_take(struct known_store *store, const struct object_table *objects,
                      struct object *object, struct elf_image *image, char *reason);

/* The function at an address as the object counts: of size 0 and without a name, if there is none.
 * NULL: its table is not here, or not that part of it. */
const struct known_function *known_store_find(struct known_store *store,
                                              const struct object_table *objects,
                                              struct object *object, uint64_t address);

#endif
