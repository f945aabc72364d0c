/* The functions of an object, sorted by address. Compact: 16 bytes a function, and its name. */
#pragma once

#include "base/base.h"

struct table_function {
    uint64_t start;
    uint32_t size;
    uint32_t name; /* offset in names; 0: it has none */
};

/* One that was added. */
struct table_draft {
    struct table_function function; /* size 0: up to the next one */
    uint32_t rank; /* of several names for an address the one with the lowest is kept */
};

/* From this rank on it is a label, which begins a function only where no function is. */
enum { TABLE_RANK_LABEL = 1000 };

struct function_table { /* zeroed: empty */
    struct table_function *functions;
    size_t count;
    char *names; /* each ends with '\0'; begins with an empty one */
    size_t name_bytes, name_room;
    struct table_draft *drafts; /* until function_table_finish() */
    size_t draft_count, draft_room;
    uint64_t around, reach; /* it has only functions that begin less than `reach` from `around`; */
                            /* reach 0: all */
    uint64_t sum;           /* of its content, after function_table_finish() */
    uint64_t listed; /* bytes of a JIT compiler's list that were read: all before the next line */
};

/* A table of more functions, or bytes of names, becomes one around an address: set `around` before
 * the first addition. */
enum { TABLE_FUNCTIONS_MAX = 1 << 18, TABLE_NAMES_MAX = 8 << 20 };

void function_table_release(struct function_table *table);
/* Frees its functions and names, and keeps the sum. */
void function_table_empty(struct function_table *table);
size_t function_table_bytes(const struct function_table *table); /* of memory, when finished */

/* Adds a function; name NULL: only its bounds are known. `end`: where a function of size 0 ends at
 * the latest. */
void function_table_add(struct function_table *table, uint64_t start, uint64_t size,
                        const char *name, uint32_t rank);

/* Sorts, keeps one name for each address, and gives functions of size 0 the size up to the next
 * one, but not beyond any of the `count` ascending ends. Call it after the last addition. */
void function_table_finish(struct function_table *table, const uint64_t *ends, size_t count);

/* The same of functions that were added with a rank that sinks from UINT32_MAX: where they overlap,
 * the one that was added last has the addresses. */
void function_table_finish_newest(struct function_table *table);

/* Whether it has all functions that begin near an address. */
bool function_table_covers(const struct function_table *table, uint64_t address);

/* The innermost function that contains the address; NULL: no function does. */
const struct table_function *function_table_find(const struct function_table *table,
                                                 uint64_t address);
/* Its name, as in the object; NULL if it has none. */
const char *function_table_name(const struct function_table *table,
                                const struct table_function *function);

/* A name as people read it: C++ and Rust demangled, without the hash of Rust's, control characters
 * escaped, at most some hundred bytes. Demangling some names takes for ever, and all memory, since
 * their parts refer to each other: only a helper demangles (image_reader_name()). The caller frees
 * it. */
char *function_name_shown(const char *name, bool demangled);
bool function_name_mangled(const char *name);

/* Functions that are listed in a text: by the kernel of itself, by JIT compilers of their code. */

/* Reads /proc/kallsyms (proc_kallsyms(5)): "ffffffff81000000 T name [module]". A module's name
 * stays behind the function's. False if all addresses are 0: the kernel hides them. */
bool text_table_kernel(struct function_table *table, FILE *file);

/* The bounds of the kernel's scheduler in the same text, functions in which every thread waits
 * (__sched_text_start, in_sched_functions() in the kernel's sources): 0 and 0 if it hides them. */
void text_table_scheduler(FILE *file, uint64_t bounds[2]);

/* Reads a perf-PID.map (tools/perf/Documentation/jit-interface.txt in the kernel's sources):
 * "start size name", numbers in hexadecimal. Where lines overlap, the last one counts: space for
 * code is used again. Begins at byte table->listed, and sets that to where a line begins that is
 * not written whole. Of more bytes than TEXT_TABLE_JIT_MAX the last ones are read; names are cut at
 * 4 KiB. */
enum { TEXT_TABLE_JIT_MAX = 256 << 20 };
void text_table_jit(struct function_table *table, FILE *file);

/* For two tables of text_table_jit(): whether one has a function in those addresses. */
bool function_table_overlaps(const struct function_table *table, uint64_t start, uint64_t size);
/* Makes one of both, in which the newer one has the addresses that both have. False: it would be
 * too large; then `table` is as it was. */
bool function_table_join(struct function_table *table, const struct function_table *older,
                         const struct function_table *newer);

/* A jitdump: the file in which a JIT compiler tells code as it makes it, with lines of its sources
 * (tools/perf/Documentation/jitdump-specification.txt in the kernel's sources). The process maps
 * the file as code, as a sign where it is. */

/* Whether a file of that path is one by its name: "jit-PID.dump". */
bool jit_dump_named(const char *path);

/* Adds the functions of a file, and finishes the table: where functions overlap, the one that was
 * made or moved there last counts. False: it is no jitdump of this machine, and the table is as it
 * was. A record that is not written whole ends it. */
bool jit_dump_read(struct function_table *table, FILE *file);

/* Appends the lines of the function that was made at that address last, as text of
 * code/line_table.h. False: it is no jitdump of this machine. */
bool jit_dump_lines(FILE *file, uint64_t start, struct str *text);
