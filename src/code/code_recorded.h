/* An object of a recording: its functions as they were called then, and what was kept of their
 * code. Part of code/code_book. */
#ifndef CODE_CODE_RECORDED_H
#define CODE_CODE_RECORDED_H

#include "code/code_object.h"

/* Adds a function, name NULL: it has none; the address of its place, which is that of the whole
 * function. */
uint64_t recorded_learn(struct object *object, uint64_t start, const char *name);
/* The address of the place of an instruction of the function with such a place. */
uint64_t recorded_address(struct object *object, uint64_t function, uint64_t address);
/* The function at the address of a place; false: none is known. */
struct recorded_function {
    uint64_t start, address; /* `whole`: both are the start */
    const char *name;        /* NULL: it has none */
    bool whole;              /* the instruction is not known */
};
bool recorded_find(const struct object *object, uint64_t address, struct recorded_function *found);

/* Adds the code of the function with such a place, and a source file; both are taken over. lines
 * NULL: not known. */
void recorded_code(struct object *object, uint64_t function, struct code_listing *listing,
                   struct line_table *lines);
void recorded_source(struct object *object, struct source_file *file);
/* What was added, or one that says why there is nothing. The caller drops it. */
struct code_listing *recorded_listing(const struct object *object, uint64_t start);
struct line_table *recorded_lines(const struct object *object, uint64_t start);
struct source_file *recorded_file(const struct object *object, const char *path);

#endif
