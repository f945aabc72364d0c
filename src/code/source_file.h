/* The text of a source file. Immutable and shared by reference once it is made. */
#ifndef CODE_SOURCE_FILE_H
#define CODE_SOURCE_FILE_H

#include "system/helper.h"

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

/* One without text: of a recording, where only some lines are known, which are added in their order
 * before it is shared, while the others are empty (source_file_add_line(); false: no file has that
 * many); or to be read. One reference. */
struct source_file *source_file_new(const char *path);
bool source_file_add_line(struct source_file *file, uint32_t line, const char *text);

/* With whose rights sources are opened: debug information can name any file. */
struct source_rights {
    struct privilege_user user;
    bool everybody; /* this program has other ones: only what everybody may read */
};

/* Of sources that debug information names: those of whom the files with that belong to, or where
 * these are root's, or not given, those of the process; where that has ended, or has the rights of
 * several users, those of root. Files of more than one user: nobody's. */
void source_rights_find(struct source_rights *rights, pid_t pid, const int *files, size_t count);

/* Starts a helper with the rights of the user, where this program is root; false: it has a reason.
 * Then it is to be read, which may take long, as the process sees it, else as the user does; and
 * the helper, which may be killed meanwhile, to be ended. */
bool source_file_begin(struct source_file *file, const struct source_rights *rights,
                       struct helper *helper);
void source_file_read(struct source_file *file, const struct source_rights *rights, pid_t pid,
                      struct helper *helper);
struct source_file *source_file_share(struct source_file *file);
void source_file_drop(struct source_file *file); /* NULL is fine */

/* Copies a line, counted from 1, without its end, as far as it fits; "" where there is none. Not
 * yet safe for a terminal. */
void source_file_line(const struct source_file *file, uint32_t line, char *text, size_t size);

#endif
