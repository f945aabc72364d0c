/* Reads a jitdump: the file in which a JIT compiler tells code as it makes it, with lines of its
 * sources (tools/perf/Documentation/jitdump-specification.txt in the kernel's sources). The process
 * maps the file as code, as a sign where it is. */
#ifndef CODE_JIT_DUMP_H
#define CODE_JIT_DUMP_H

#include "base/str.h"
#include "code/function_table.h"

/* Whether a file of that path is one by its name: "jit-PID.dump". */
bool jit_dump_named(const char *path);

/* Adds the functions of a file, and finishes the table: where functions overlap, the one that was
 * made or moved there last counts. False: it is no jitdump of this machine, and the table is as it
 * was. A record that is not written whole ends it. */
bool jit_dump_read(struct function_table *table, FILE *file);

/* Appends the lines of the function that was made at that address last, as text of
 * code/line_table.h. False: it is no jitdump of this machine. */
bool jit_dump_lines(FILE *file, uint64_t start, struct str *text);

#endif
