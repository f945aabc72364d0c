/* What is said between line_child.h and countertop-lines, over a stream socket. */
#ifndef CODE_LINE_MESSAGE_H
#define CODE_LINE_MESSAGE_H

#include "code/elf_table.h"

#include <stdint.h>

/* What was read of an ELF file, from the process that read it: over a stream socket, between two
 * processes of the same program. The receiver believes nothing. */

/* Sends a finished image, or one that was only identified. False: the other end is gone. */
bool image_send(int to, const struct elf_image *image);
/* Takes one into an image that is empty. False: the other end is gone, or what it sent is no image:
 * then the image is empty. */
bool image_receive(int from, struct elf_image *image);

enum { LINE_TEXT_MAX = 16 << 20, LINE_SOURCE_MAX = 8 << 20, LINE_NAME_MAX = 16 << 20 }; /* bytes */

enum line_ask {
    LINE_OPEN,
    LINE_READ,
    STACK_FORGET,
    STACK_ADD,
    STACK_UNWIND,
    IMAGE_READ,
    SOURCE_READ,
    NAME_READ
};

/* From the parent, with the descriptors of the files if it opens some; STACK_UNWIND: then a struct
 * stack_copy and that many bytes; SOURCE_READ: the path; NAME_READ: the name. */
struct line_request {
    uint32_t ask;   /* enum line_ask */
    uint32_t space; /* of stacks; enum line_image; 1: only a source that everybody may read */
    uint64_t start; /* of a function or file; offset that is wanted of an image */
    uint64_t size;  /* of a function, a path, a name; offset of a file */
};

/* From the child, and then that many bytes of text, or an image (image_send()) if one was
 * found; to STACK_UNWIND only a struct stack_frames. */
struct line_answer {
    uint32_t found; /* debug information, or an image; of a source an errno */
    uint32_t length;
};

#endif
