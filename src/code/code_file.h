/* Finds and reads the file behind a mapping. Programs, libraries, debug files and lists of JIT
 * compilers, which may be endless or damaged, or made by somebody who wants this program to fail:
 * in child processes, of which one reads functions, another one identifies files meanwhile, and a
 * third one demangles names. They are started when they are needed first, and have limits on time
 * and memory.
 *
 * All functions may be called by any thread. */
#pragma once

#include "code/line_child.h"

struct image_reader;

struct image_reader *image_reader_new(void);
/* Ends what is being read, and refuses all from now on: so nobody waits. */
void image_reader_stop(struct image_reader *reader);
void image_reader_free(struct image_reader *reader); /* NULL is fine */

/* Lets a child process read `what` of a file (code/line_child.h) into an image that is empty but
 * for table.around and table.listed, and waits for it; the caller releases the image, also after
 * false. debug: the file's separate debug file, -1 without; both descriptors stay the caller's.
 * False with *reason NULL: the file is not of that kind. False with a *reason, which the caller
 * frees: the child ended, or none could be started. */
bool image_reader_read(struct image_reader *reader, enum line_image what, int fd, int debug,
                       struct elf_image *image, char **reason);

/* A function's name as it is shown (function_name_shown()), demangled by a child; of a name for
 * which that takes too long the mangled one, and of all after some of them. The caller frees it. */
char *image_reader_name(struct image_reader *reader, const char *name);

struct code_file {
    pid_t pid; /* a process that has it mapped */
    struct code_mapping mapping;
    struct image_reader *images;
};

/* The length of a path without the kernel's mark for files that were deleted (proc_pid_maps(5)). */
size_t code_file_length(const char *path);

/* Opens the file that is mapped: looked for as /proc/PID/map_files, below /proc/PID/root (another
 * mount namespace), and by its path, and taken only if device and inode, or the build-id that the
 * kernel reported, are those of the mapping. -1 with the reason, one line that the caller frees. */
int code_file_open(const struct code_file *file, char **reason);

/* Opens the separate debug file of a file with that identity; -1 without one. *looked: the first
 * path where it may have been; NULL: nothing says where. *refused: a file that was there and why it
 * is not read, one line; NULL: none. The caller frees both. */
int code_file_debug(const struct code_file *file, const struct elf_identity *identity,
                    char **looked, char **refused);

/* Whether an open file is the file's separate debug file: it has the same build-id. A file without
 * build-id is recognized by the checksum in its link. *reason: why that is not known, which the
 * caller frees. */
bool code_file_is_debug(const struct code_file *file, const struct elf_identity *identity, int fd,
                        char **reason);

/* Reads its functions, and those of its separate debug file where there is one of the same
 * build-id, or content, as its link says. False with the reason. */
bool code_file_read(const struct code_file *file, int fd, struct elf_image *image, char **reason);
