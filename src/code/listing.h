/* The machine code of a function as text: a line for each instruction. Immutable and shared by
 * reference once it is made.
 *
 * A recording keeps it as a text: lines of
 *
 *   n TEXT                            why it is not complete
 *   ADDRESS SIZE FLOW TARGET TEXT     an instruction; numbers in hexadecimal */
#pragma once

#include "base/base.h"

enum code_flow { FLOW_ON, FLOW_JUMP, FLOW_BRANCH, FLOW_CALL, FLOW_RETURN };

struct code_instruction {
    uint64_t address; /* as struct code_function's start counts */
    uint64_t target;  /* of a jump, branch or call; 0: it is not in the instruction */
    uint32_t text;    /* where it begins in the texts */
    uint8_t size;
    uint8_t flow; /* enum code_flow; FLOW_BRANCH: may also go on */
};

struct code_listing {
    int references; /* atomic */
    uint64_t start, size;
    char *reason; /* why it has no text, or not of all, one line; NULL: it is complete */
    struct code_instruction *instructions; /* ascending, without gaps */
    size_t count, room;
    char *texts;
    size_t text_bytes, text_room;
};

struct code_listing *code_listing_new(uint64_t start, uint64_t size); /* one reference */
void code_listing_drop(struct code_listing *listing);                 /* NULL is fine */

/* Adds the instruction after the last one. */
void code_listing_add(struct code_listing *listing, struct code_instruction instruction,
                      const char *text);
const char *code_listing_text(const struct code_listing *listing,
                              const struct code_instruction *instruction);
void code_listing_write(const struct code_listing *listing, struct str *text);
/* Reads a text of code_listing_write(), each line with its newline; "" is an empty listing. Start
 * and size are those of the instructions. Texts are made safe for a terminal. Returns one
 * reference; NULL: it is not such a text. */
struct code_listing *code_listing_read(const char *text);
/* The index of the instruction that has a byte at the address; `count`: none has. */
size_t code_listing_find(const struct code_listing *listing, uint64_t address);

/* --- Machine code to text: x86 by Zydis, other processors by objdump(1), which is started as a
 * child process --- */

/* What a listing can show at most, bytes; larger functions are cut, and the listing says so. */
enum { DISASSEMBLE_MAX = 1 << 20 };

/* The processor that this program was built for, as disassemble() wants it: EM_... of elf.h. */
unsigned disassemble_own(void);

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
