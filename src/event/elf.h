/* Functions of programs and libraries by name, read by libelf. */
#ifndef EVENT_ELF_H
#define EVENT_ELF_H

#include "base/err.h"

#include <stdint.h>

/* The offset in the file at which a function's code begins: probe_offset of a uprobe in
 * perf_event_open(2). The symbol table is searched, then the table for dynamic linking, which
 * strip(1) keeps. -1 with a message; it has the nearest name where no function has this one. */
int elf_function(const char *path, const char *function, uint64_t *offset, struct err *err);

#endif
