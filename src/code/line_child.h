/* A helper (system/helper.h) that reads symbols or debug information, or unwinds stacks by it, so
 * that what is slow, large or damaged there costs this process nothing: it has a limit on memory,
 * no descriptors but the files that it is given, and can be ended at any time by helper_end(). */
#pragma once

#include "code/elf_table.h"
#include "code/stack_dwarf.h"
#include "system/helper.h"

/* Starts the helper with a priority that is lower by that much (nice(2)), and a limit as of
 * line_child_limit() (0: none); user: as in struct helper_command. The caller ends it by
 * helper_end(). -1 with a message. */
int line_child_start(struct helper *child, int lower, unsigned seconds,
                     const struct privilege_user *user, struct err *err);
/* Says why the helper ended, by the status that helper_end() returned: "the process that WORKED was
 * ended by ...". The caller frees it. */
char *line_child_reason(const char *worked, int status);

/* --- Questions, which countertop-lines answers over a stream socket --- */

enum { LINE_TEXT_MAX = 16 << 20, LINE_SOURCE_MAX = 8 << 20 }; /* bytes of an answer, of a source */
enum { LINE_BYTES_MAX = 16 << 20 };                           /* ... that follow a question */
enum { LINE_CHILD_SPACES = 8 }; /* processes of which a helper unwinds stacks */

/* The files that come with a question are its descriptors. */
enum line_ask {
    /* Opens a program or library and its separate debug file in place of those before. Found: they
     * have debug information. */
    LINE_OPEN,
    /* The source lines of a function of that start and size, as text of code/line_table.h. */
    LINE_READ,
    /* The text of a regular file, of which the path follows: below the root directory that comes
     * with it; if nothing is there, below the helper's own, if everybody may read it. space 1: only
     * what everybody may read. Found: 0, or the errno, EFBIG if it is too large. */
    SOURCE_READ,
    /* The name of a function follows: as it is shown. */
    NAME_READ,
    /* The symbol of the variable that a program or library has `size` bytes behind the beginning of
     * a mapping of its data, which is at offset `start` in the file: "cache_lock", "table+0x28";
     * nothing if it has no symbol. */
    VARIABLE_READ,
    /* What is read of a file that anybody may have made, and its separate debug file; space: enum
     * line_image, start: as table.around, size: as table.listed. Found: it is of that kind, and an
     * image follows. */
    IMAGE_READ,
    /* Forgets what process number `space` has mapped. */
    STACK_FORGET,
    /* Process number `space` has mapped a file at `start`, from offset `size` on
     * (stack_dwarf_add()).
     */
    STACK_ADD,
    /* A struct stack_copy and the stack follow; only a struct stack_frames is answered. */
    STACK_UNWIND,
};

struct line_request {
    uint32_t ask; /* enum line_ask */
    uint32_t space;
    uint64_t start, size;
    uint64_t bytes; /* that follow */
};

/* Then that many bytes of text follow. */
struct line_answer {
    uint32_t found;
    uint32_t length;
};

/* All calls below wait for the helper's answer, and return -1 if it has ended, answers in another
 * form, or takes longer than line_child_limit(): then end it. Descriptors stay the caller's. */

/* Asks with up to two files (-1: none) and the request->bytes that follow. Appends the text of the
 * answer; text and found may be NULL. */
int line_child_ask(struct helper *child, const struct line_request *request, int fd, int second,
                   const void *bytes, struct str *text, uint32_t *found);

/* An image (code/elf_table.h). */
enum line_image {
    LINE_IMAGE_IDENTITY, /* what ELF_IDENTITY finds */
    LINE_IMAGE_CHECK,    /* only the checksum of its content (elf_image_check()) */
    LINE_IMAGE_ELF,      /* the functions of a program, and of its separate debug file */
    LINE_IMAGE_JIT,      /* those of a JIT compiler's list (text_table_jit()) */
    LINE_IMAGES
};
/* Fills an image that is empty but for table.around (elf_image_read()) and table.listed
 * (text_table_jit()) from a file; debug: its separate debug file, -1: none. *found: whether the
 * file is of that kind. */
int line_child_image(struct helper *child, enum line_image what, int fd, int debug,
                     struct elf_image *image, bool *found);

/* Finds the frames of a stack of process number `space`; `bytes` has copy->size of them. */
int line_child_unwind(struct helper *child, unsigned space, const struct stack_copy *copy,
                      const void *bytes, struct stack_frames *frames);

/* Sets how long the helper may take for a step of its work. */
void line_child_limit(struct helper *child, unsigned seconds);

/* How many bytes of memory the helper with that pid uses; 0: not known. */
uint64_t line_child_memory(pid_t pid);

/* Between two processes of the same program, over a stream socket; the receiver believes nothing.
 */

/* Sends a finished image, or one that was only identified. False: the other end is gone. */
bool image_send(int to, const struct elf_image *image);
/* Takes one into an image that is empty. False: the other end is gone, or what it sent is no image:
 * then the image is empty. */
bool image_receive(int from, struct elf_image *image);
