/* Small files of /proc and /sys, read whole. A root can be put before their paths, so that tests
 * can show another machine: the variable COUNTERTOP_ROOT. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/err.h"

#include <dirent.h>
#include <stddef.h>
#include <sys/types.h>

/* Reads at most size - 1 bytes of the file at path (absolute, beneath the root) and ends them with
 * '\0'. Returns the length, or -1 with errno. */
ssize_t file_read(const char *path, char *buffer, size_t size);

/* The same with a path made by printf. */
ssize_t file_readf(char *buffer, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The whole file, whatever its length up to `limit` bytes; the caller frees it. NULL with a
 * message. The root does not apply: for files of the user. */
char *file_load(const char *path, size_t limit, struct err *err);

/* The first line without its newline; 0, or -1 with errno. */
int file_line(const char *path, char *buffer, size_t size);

DIR *file_opendir(const char *path); /* beneath the root; NULL with errno */

#endif
