/* The functions of a program or library: from its symbol tables, and their bounds without names
 * from .eh_frame, which stripped files keep. */
#pragma once

#include "code/code_space.h"
#include "code/function_table.h"

/* A part of the file that is loaded as code (PT_LOAD, elf(5)). */
struct elf_segment {
    uint64_t address, offset, size;
};

/* What tells a file, and finds its debug file. */
struct elf_identity {
    size_t build_id_size;
    unsigned char build_id[CODE_BUILD_ID_MAX];
    unsigned machine;    /* EM_... (elf.h) */
    char link[256];      /* .gnu_debuglink: the name of a file with symbols; "": none */
    uint32_t link_check; /* ... and the CRC-32 of its content */
};

struct elf_image { /* zeroed: empty */
    struct function_table table;
    struct elf_segment *segments;
    size_t segment_count, segment_room;
    uint64_t *ends; /* addresses behind segments and sections of code */
    size_t end_count, end_room;
    struct elf_identity identity;
};

/* Reads an open file, a part after the other; it is not closed. Set image->table.around, the offset
 * of a byte of code, before: a table that is too large (code/function_table.h) is one around it.
 * False if it is no ELF file of this machine. */
enum elf_part {
    ELF_IDENTITY, /* only struct elf_identity */
    ELF_SYMBOLS,  /* its symbol tables, as for a separate debug file */
    ELF_ALL
};
bool elf_image_read(struct elf_image *image, int fd, enum elf_part wanted);
/* Only the CRC-32 of its content, whatever that is, as link_check. False: that is larger. */
enum { ELF_CHECKED_MAX = 1 << 30 }; /* bytes */
bool elf_image_check(struct elf_image *image, int fd);
/* The name of the variable that is that far behind the beginning of a mapping of data, which is at
 * `offset` in the file, and how far it is within that variable. The caller frees it; NULL: no
 * symbol. */
char *elf_variable(int fd, uint64_t offset, uint64_t behind, uint64_t *within);
/* The same of an image in memory, such as the vdso. */
bool elf_image_memory(struct elf_image *image, const void *bytes, size_t size);
void elf_image_release(struct elf_image *image);

/* Call after the last elf_image_read(). */
void elf_image_finish(struct elf_image *image);

/* Finds the address of a byte of the file; false if no segment that is loaded has that byte. */
bool elf_image_address(const struct elf_image *image, uint64_t offset, uint64_t *address);
/* Finds the byte of the file that is loaded at an address; false if there is none. */
bool elf_image_offset(const struct elf_image *image, uint64_t address, uint64_t *offset);
