/* Small files of /proc and /sys, read whole. A root can be put before their paths, so that tests
 * can show another machine: the variable COUNTERTOP_ROOT (not where the program has capabilities of
 * its file: secure_getenv(3)). */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/err.h"

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/types.h>

/* Whether another machine is shown than this one. */
bool file_has_root(void);

/* Reads at most size - 1 bytes of the file at path (absolute, beneath the root) and ends them with
 * '\0'. Returns the length, or -1 with errno. */
ssize_t file_read(const char *path, char *buffer, size_t size);

/* The same with a path made by printf. */
ssize_t file_readf(char *buffer, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A file that is looked at again and again stays open: its descriptor, which the caller closes, or
 * -1 with errno. */
int file_keep(const char *path);
/* What it says now, as file_read; for files that one read gets whole, as the short ones of /proc
 * and /sys. */
ssize_t file_again(int fd, char *buffer, size_t size);

/* The whole file, whatever its length up to `limit` bytes; the caller frees it. NULL with a
 * message. The root does not apply: for files of the user. Files of /proc are refused: with
 * CAP_SYS_PTRACE those of others would be readable. So are pipes that have a name, which would be
 * waited for; those of a shell (/dev/stdin, /dev/fd/63) are read. */
char *file_load(const char *path, size_t limit, struct err *err);

/* The file that a path names, to be replaced by rename(2), which follows no link at its end: what a
 * symbolic link leads to, also where that is not there. Links of others in a folder where everybody
 * may make some, as /tmp, are refused (EACCES), as fs.protected_symlinks does where it is on
 * (proc_sys_fs(5)). The caller frees it; NULL with errno. */
char *file_target(const char *path);

/* Makes a directory of the user, with those above it, where it is not there; for its owner alone.
 * That none can be made is a message of those that are to write there. -1 with a message. */
int file_make_directory(const char *path, struct err *err);

/* The first line without its newline; 0, or -1 with errno. */
int file_line(const char *path, char *buffer, size_t size);

int file_stat(const char *path, struct stat *status); /* as stat(2), beneath the root */
FILE *file_open(const char *path);   /* for reading, beneath the root; NULL with errno */
DIR *file_opendir(const char *path); /* beneath the root; NULL with errno */

#endif
