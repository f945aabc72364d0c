/* The text of a source file, and with whose rights it is read: debug information can name any file.
 * A source file is shared by reference, and does not change once it is shared. */
#pragma once

#include "system/helper.h"

struct source_file {
    int references; /* atomic */
    char *path;
    char *reason; /* why it has no text, one line; NULL */
    char *text;   /* of which the lines are parts; NULL: each one is owned */
    size_t size;  /* of all lines */
    char **lines; /* NULL: empty */
    size_t count, room;
};

/* A source file without text, and one reference. source_file_read() gives it its text; or, for a
 * file of a recording, source_file_add_line() some lines in ascending order, and the others are
 * empty. */
struct source_file *source_file_new(const char *path);
/* False: no file has that many lines. */
bool source_file_add_line(struct source_file *file, uint32_t line, const char *text);

/* Whose rights a source is opened with. */
struct source_rights {
    struct privilege_user user;
    bool everybody; /* this program cannot get these rights: opens only what everybody may read */
};

/* Finds the rights for sources that the debug information in `files` names, of which process pid
 * has one mapped. They are those of the owner of the files; if root owns them, or there are none,
 * those of the process; if that has ended or has rights of several users, root's. If several users
 * own the files, nobody's. */
void source_rights_find(struct source_rights *rights, pid_t pid, const int *files, size_t count);

/* Starts the helper that will open the file, with these rights where this program is root. False:
 * the file has got a reason, and is not to be read. Otherwise call source_file_read(), which may
 * take long and looks for the path as process pid sees it, else as the user does; then the caller
 * ends the helper. Another thread may kill the helper meanwhile: then the file gets a reason. */
bool source_file_begin(struct source_file *file, const struct source_rights *rights,
                       struct helper *helper);
void source_file_read(struct source_file *file, const struct source_rights *rights, pid_t pid,
                      struct helper *helper);
void source_file_drop(struct source_file *file); /* NULL is fine */

/* Copies a line, counted from 1, without its newline, cut to size - 1 bytes; "" if there is no such
 * line. The text may have control characters: escape it before it is shown. */
void source_file_line(const struct source_file *file, uint32_t line, char *text, size_t size);
