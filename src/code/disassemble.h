/* Machine code to text: x86 by Zydis, other processors by objdump(1), which is started as a child
 * process. */
#ifndef CODE_DISASSEMBLE_H
#define CODE_DISASSEMBLE_H

#include "code/listing.h"

/* What a listing can show at most, bytes; larger functions are cut, and the listing says so. */
enum { DISASSEMBLE_MAX = 1 << 20 };

/* EM_... of elf.h: what this program was built for. */
extern const unsigned disassemble_own;

/* Appends where an address is to the text that names it, such as "<puts@plt>"; false: unknown. */
typedef bool disassemble_name(void *ctx, uint64_t address, char *text, size_t size);

/* Fills a new listing from the bytes of its addresses. machine: EM_... of elf.h. Targets outside of
 * the listing are named. Where there is no disassembler the lines are words of the machine, if all
 * its instructions have one size, and the listing's reason says what is missing. */
void disassemble(struct code_listing *listing, unsigned machine, const unsigned char *bytes,
                 size_t size, disassemble_name *name, void *ctx);

/* The same by objdump alone; for tests. False with the listing's reason. */
bool disassemble_objdump(struct code_listing *listing, unsigned machine, const unsigned char *bytes,
                         size_t size, disassemble_name *name, void *ctx);

#endif
