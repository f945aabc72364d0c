/* What programs and libraries have: functions by name, sections; with libelf. */
#ifndef EVENT_ELF_H
#define EVENT_ELF_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

/* The file offset of a function's code: probe_offset of a uprobe in perf_event_open(2). Searches
 * the symbol table, then the table for dynamic linking, which strip(1) keeps. -1 with a message;
 * for an unknown function it has the nearest name. Refused as well: a name of several functions,
 * and one (STT_GNU_IFUNC) whose code only chooses, once, what is called by this name. */
int elf_function(const char *path, const char *function, uint64_t *offset, struct err *err);

/* False if it cannot be read, too. */
bool elf_has_section(const char *path, const char *name);

#endif
