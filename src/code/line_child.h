/* A helper (system/helper.h) that reads symbols or debug information, or unwinds stacks by it, so
 * that what is slow, large or damaged there costs this process nothing: it has a limit on memory,
 * no descriptors but the files that it is given, and can be ended at any time by helper_end(). */
#ifndef CODE_LINE_CHILD_H
#define CODE_LINE_CHILD_H

#include "base/err.h"
#include "base/str.h"
#include "code/elf_table.h"
#include "code/stack_dwarf.h"
#include "system/helper.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Starts the helper with a priority that is lower by that much (nice(2)); user: as in struct
 * helper_command. The caller ends it by helper_end(). -1 with a message. */
int line_child_start(struct helper *child, int lower, const struct privilege_user *user,
                     struct err *err);
/* Says why the helper ended, by the status that helper_end() returned: "the process that WORKED was
 * ended by ...". The caller frees it. */
char *line_child_reason(const char *worked, int status);

/* All calls below wait for the helper's answer, and return -1 if it has ended, answers in another
 * form, or takes longer than line_child_limit(): then end it. Descriptors stay the caller's. */

/* Lets the helper open a program or library and its separate debug file (-1: none), in place of
 * those before. *found: whether they have debug information. */
int line_child_open(struct helper *child, int fd, int debug, bool *found);
/* Appends the source lines of a function, as text of code/line_table.h. */
int line_child_read(struct helper *child, uint64_t start, uint64_t size, struct str *text);

/* Appends names of functions, demangled, as they are shown; each ends with '\0' here and there. */
int line_child_names(struct helper *child, const char *names, size_t bytes, struct str *text);

/* Appends the symbol of the variable that a program or library has `behind` bytes behind the
 * beginning of a mapping of its data, which is at `offset` in the file: "cache_lock", "table+0x28";
 * nothing if it has no symbol. */
int line_child_variable(struct helper *child, int fd, uint64_t offset, uint64_t behind,
                        struct str *text);

/* Appends the text of a regular file, which the helper opens by its path below the directory `root`
 * (-1: its own root); if nothing is there, below its own root, if everybody may read it. everybody:
 * opens only what everybody may read in any case. *error: 0, or the errno, EFBIG if the file is too
 * large. */
int line_child_source(struct helper *child, int root, const char *path, bool everybody,
                      struct str *text, int *error);

/* --- Images (code/elf_table.h): what is read of a file that anybody may have made --- */

enum line_image {
    LINE_IMAGE_IDENTITY, /* what elf_image_identify() finds */
    LINE_IMAGE_CHECK,    /* only the checksum of its content (elf_image_check()) */
    LINE_IMAGE_ELF,      /* the functions of a program, and of its separate debug file */
    LINE_IMAGE_JIT,      /* those of a JIT compiler's list (text_table_jit()) */
    LINE_IMAGES
};
/* Fills an image that is empty but for table.around (elf_image_read()) from a file; debug: its
 * separate debug file, -1: none. *found: whether the file is of that kind. */
int line_child_image(struct helper *child, enum line_image what, int fd, int debug,
                     struct elf_image *image, bool *found);

/* --- Stacks, of up to LINE_CHILD_SPACES processes --- */

enum { LINE_CHILD_SPACES = 8 };

/* Sets how long the helper may take for a step of its work. */
void line_child_limit(struct helper *child, unsigned seconds);
/* Lets the helper forget what process number `space` has mapped. */
int line_child_forget(struct helper *child, unsigned space);
/* Adds a file that process number `space` has mapped (stack_dwarf_add()). */
int line_child_add(struct helper *child, unsigned space, uint64_t start, uint64_t offset, int fd);
/* Finds the frames of a stack of process number `space`; `bytes` has copy->size of them. */
int line_child_unwind(struct helper *child, unsigned space, const struct stack_copy *copy,
                      const void *bytes, struct stack_frames *frames);

/* How many bytes of memory the helper with that pid uses; 0: not known. */
uint64_t line_child_memory(pid_t pid);

/* --- What is said between this file and countertop-lines, over a stream socket --- */

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
    NAMES_READ,
    VARIABLE_READ
};

/* From the parent, with the descriptors of the files if it opens some; then follow, to
 * STACK_UNWIND, a struct stack_copy and as many bytes as it says, to SOURCE_READ the path, to
 * NAMES_READ the names. */
struct line_request {
    uint32_t ask;   /* enum line_ask */
    uint32_t space; /* of stacks; enum line_image; 1: only a source that everybody may read */
    uint64_t start; /* of a function or file; offset that is wanted of an image, of data */
    uint64_t size;  /* of a function, a path, a name; offset of a file; what is behind */
};

/* From the child, and then that many bytes of text, or an image (image_send()) if one was
 * found; to STACK_UNWIND only a struct stack_frames. */
struct line_answer {
    uint32_t found; /* debug information, or an image; of a source an errno */
    uint32_t length;
};

#endif
