/* Small files of /proc and /sys, read whole. The variable COUNTERTOP_ROOT is put before their
 * paths, so that tests can simulate another machine; it is ignored when the program's file has
 * capabilities (secure_getenv(3)). */
#pragma once

#include "base/err.h"

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/types.h>

/* Whether COUNTERTOP_ROOT is in effect. */
bool file_has_root(void);

/* Reads at most size - 1 bytes of the file at path (absolute, beneath the root) and ends them with
 * '\0'. Returns the length, or -1 with errno. */
ssize_t file_read(const char *path, char *buffer, size_t size);

/* Reads a file whose path is formatted as by printf(3), like file_read(). */
ssize_t file_readf(char *buffer, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Opens a file that is read repeatedly: its descriptor, which the caller closes, or -1 with
 * errno. Who reads it never waits for the writer of a named pipe. */
int file_keep(const char *path);
/* Reads an open file from its start, like file_read(). For short files that one read(2) returns
 * whole, such as those of /proc and /sys. */
ssize_t file_again(int fd, char *buffer, size_t size);
/* Reads the part of an open file that begins at byte `from`: returns its length, 0 at the end of
 * the file, or -1 with errno. */
ssize_t file_again_from(int fd, size_t from, char *buffer, size_t size);

/* Whether a descriptor may be kept open. False for the last numbers below the limit: these are for
 * files that are opened, read and closed at once. Without them a task whose file cannot be opened
 * would seem to have ended. */
bool file_may_stay(int fd);

/* Closes a descriptor unless it is negative. Keeps errno. */
void file_close(int fd);
/* For a local `AUTO_CLOSE int fd = open(...);`: closed by file_close() where its block ends. */
void file_close_local(int *fd);
#define AUTO_CLOSE __attribute__((unused, cleanup(file_close_local)))
/* For a local `AUTO_FILE FILE *file = ...;` and `AUTO_FOLDER DIR *folder = ...;`, as above; NULL is
 * fine. */
void file_end_local(FILE **file);
#define AUTO_FILE __attribute__((unused, cleanup(file_end_local)))
void file_end_folder(DIR **folder);
#define AUTO_FOLDER __attribute__((unused, cleanup(file_end_folder)))

/* The text of a whole file, up to `limit` bytes, without a byte order mark at its beginning; the
 * caller frees it. NULL with a message. For files of the user: the root does not apply. Refuses
 * files of /proc, where CAP_SYS_PTRACE would show other users' data, and named pipes, on which it
 * would wait. Pipes of a shell (/dev/stdin, /dev/fd/63) are read. */
char *file_load(const char *path, size_t limit, struct err *err);

/* Opens a file of the user for writing: flags as of open(2). All output goes through here, or
 * through file_target(). Refused, as by fs.protected_symlinks and its siblings (proc_sys_fs(5)), is
 * what another user than root put in a folder that all may write: a link, and with O_CREAT a file,
 * a pipe, another name of a file. With `own` a new file is for its owner only, and one of another
 * user is refused in every folder. Open files (/dev/stdout) and devices are never refused. -1 with
 * the reason. */
int file_create(const char *path, int flags, bool own, struct err *why);

/* Resolves symbolic links at the end of a path, also dangling ones: for a file that is to be
 * replaced by rename(2), which does not follow them. Refuses links as file_create() does. The
 * caller frees it; NULL with the reason. */
char *file_target(const char *path, struct err *why);

/* Makes a missing directory and its parents, accessible to the owner only. -1 with a message. A
 * read-only or forbidden place is not an error here: writing there fails later, with a message. */
int file_make_directory(const char *path, struct err *err);

/* Reads the first line of a file, without its newline, beneath the root. Returns 0, or -1 with
 * errno. */
int file_line(const char *path, char *buffer, size_t size);

int file_stat(const char *path, struct stat *status);           /* as stat(2), beneath the root */
ssize_t file_link(const char *path, char *target, size_t size); /* where a link leads, ended with
                                                                 * '\0'; as readlink(2) */
FILE *file_open(const char *path);   /* for reading, beneath the root; NULL with errno */
DIR *file_opendir(const char *path); /* beneath the root; NULL with errno */

/* Closes all descriptors from number `first` on, except the `count` ones in `kept`, which may be in
 * any order. Safe between fork(2) and execve(2). */
void file_close_from(int first, const int *kept, size_t count);

/* The directories of the user's files, and of those that are installed with the program. */

/* $XDG_CONFIG_HOME/countertop or ~/.config/countertop, which the caller frees; NULL if neither
 * XDG_CONFIG_HOME nor HOME is an absolute path (XDG Base Directory Specification). */
char *home_directory(void);

/* The folder of the program's file ("" for /), which the caller frees; NULL if /proc is not
 * there. */
char *home_program(void);
/* PREFIX/share/countertop for a program that is PREFIX/bin/countertop, which the caller frees; NULL
 * if /proc is not there. */
char *home_share(void);
