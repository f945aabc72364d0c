/* Functions of programs and libraries by name: elf(5). The file is a stranger's: whatever it says
 * of itself is checked, and no more is read than it has. */
#ifndef EVENT_ELF_H
#define EVENT_ELF_H

#include "base/err.h"

#include <stdint.h>

/* Where in the file the code of a function begins, as perf_event_open(2) wants it for a uprobe
 * (probe_offset): found in the symbol table, or where that was stripped in the table for dynamic
 * linking. -1 with a message, which has the nearest name where there is no such function. */
int elf_function(const char *path, const char *function, uint64_t *offset, struct err *err);

#endif
