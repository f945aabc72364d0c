/* Names of the entries of procedure linkage tables, through which calls into other objects go:
 * "puts@plt". An entry jumps to an address in a word of data, and the relocation of that word names
 * the function; so the entry's instructions are read, not the order of entries believed. x86-64
 * (System V ABI, AMD64 supplement, "Procedure Linkage Table") and AArch64 (ELF for the Arm 64-bit
 * Architecture, the same chapter). */
#ifndef CODE_ELF_PLT_H
#define CODE_ELF_PLT_H

#include "code/function_table.h"

#include <libelf.h>

/* Adds the entries that are found; of another machine none. */
void elf_plt_read(struct function_table *table, Elf *elf);

#endif
