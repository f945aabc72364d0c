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

/* Its priority is lower by that much, as of nice(2); user: as of struct helper_command. -1 with a
 * message. */
int line_child_start(struct helper *child, int lower, const struct privilege_user *user,
                     struct err *err);
/* The reason, of a status of helper_end(), for the user: "the process that WORKED was ended by
 * ...". Owned by the caller. */
char *line_child_reason(const char *worked, int status);

/* Gives it a program or library and its separate debug file (-1: none), in place of those before;
 * both descriptors stay the caller's. Waits until it has read them. *found: whether they have debug
 * information. -1: the child has ended. */
int line_child_open(struct helper *child, int fd, int debug, bool *found);
/* Adds the text of a function (code/line_table.h). -1: it has ended, or does not keep to the
 * protocol. */
int line_child_read(struct helper *child, uint64_t start, uint64_t size, struct str *text);

/* Adds a function's name as it is shown, demangled. -1: the child has ended, since that took too
 * long, for example. */
int line_child_name(struct helper *child, const char *name, struct str *text);

/* Adds the text of a source file, a regular one, which the child opens: by its path below a root
 * directory (-1: its own), else if nothing is there and everybody may read it, below its own;
 * `everybody`: in any case only what everybody may read. *error: an errno, EFBIG if it is too
 * large. -1: the child has ended. */
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
/* Fills an image that is empty but for table.around (elf_image_read()). debug: -1 without such a
 * file. *found: whether the file is of that kind. -1: the child has ended. */
int line_child_image(struct helper *child, enum line_image what, int fd, int debug,
                     struct elf_image *image, bool *found);

/* --- Stacks, of up to LINE_CHILD_SPACES processes --- */

enum { LINE_CHILD_SPACES = 8 };

/* From now on a step of its work takes no longer than that: else it counts as ended. */
void line_child_limit(struct helper *child, unsigned seconds);
/* Forgets what one of the processes has mapped. -1: the child has ended. The same for others. */
int line_child_forget(struct helper *child, unsigned space);
/* Adds a file (stack_dwarf_add()). */
int line_child_add(struct helper *child, unsigned space, uint64_t start, uint64_t offset, int fd);
int line_child_unwind(struct helper *child, unsigned space, const struct stack_copy *copy,
                      const void *bytes, struct stack_frames *frames);

/* Bytes of its memory that are in use; 0: not known. */
uint64_t line_child_memory(pid_t pid);

#endif
