/* The text of a source file. Immutable and shared by reference once it is made. */
#ifndef CODE_SOURCE_FILE_H
#define CODE_SOURCE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct source_file {
    int references; /* atomic */
    char *path;
    char *reason; /* why it has no text, one line; NULL */
    char *text;
    size_t size;
    uint32_t *lines; /* where each one begins */
    size_t count, room;
};

/* Reads the file at a path as a process sees it, else as this program does. May take long. One
 * reference. */
struct source_file *source_file_read(pid_t pid, const char *path);
/* One of which only some lines are known: the others are empty. Lines are added in their order,
 * before it is shared; false: no file has that many. */
struct source_file *source_file_recorded(const char *path);
bool source_file_tell(struct source_file *file, uint32_t line, const char *text);
struct source_file *source_file_share(struct source_file *file);
void source_file_drop(struct source_file *file); /* NULL is fine */

/* Copies a line, counted from 1, without its end, as far as it fits; "" where there is none. Not
 * yet safe for a terminal. */
void source_file_line(const struct source_file *file, uint32_t line, char *text, size_t size);

#endif
