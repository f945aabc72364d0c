/* Finds and reads the file behind a mapping. */
#ifndef CODE_CODE_FILE_H
#define CODE_CODE_FILE_H

#include "code/image_reader.h"

#include <sys/types.h>

struct code_file {
    pid_t pid;           /* a process that has it mapped */
    uint64_t start, end; /* where */
    unsigned major, minor;
    uint64_t inode;
    size_t build_id_size; /* 0: compare device and inode */
    unsigned char build_id[CODE_BUILD_ID_MAX];
    const char *path; /* as the process sees it */
    struct image_reader *images;
};

/* The length of a path without the kernel's mark for files that were deleted (proc_pid_maps(5)). */
size_t code_file_length(const char *path);

/* Opens the file that is mapped, not another one that has its path now: -1 with the reason, one
 * line that the caller frees. */
int code_file_open(const struct code_file *file, char **reason);

/* Opens the separate debug file of a file, of which the image has build-id and link; -1 without
 * one. *looked: the first path where it may have been; NULL: nothing says where. *refused: a file
 * that was there and why it is not read, one line; NULL: none. The caller frees both. */
int code_file_debug(const struct code_file *file, const struct elf_image *image, char **looked,
                    char **refused);

/* Whether an open file is the file's separate debug file: it has the same build-id. A file without
 * build-id is recognized by the checksum in its link. *reason: why that is not known, which the
 * caller frees. */
bool code_file_is_debug(const struct code_file *file, const struct elf_image *image, int fd,
                        char **reason);

/* Reads its functions, and those of its separate debug file where there is one of the same
 * build-id, or content, as its link says. False with the reason. */
bool code_file_read(const struct code_file *file, int fd, struct elf_image *image, char **reason);

#endif
