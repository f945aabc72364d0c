/* Where batch output goes: a file or a pipe that gets all of a refresh at once, so that its reader
 * sees each refresh when it is made. A reader who takes his time is waited for, until a signal that
 * is blocked asks the program to end (loop_signals). */
#ifndef FRONT_OUT_H
#define FRONT_OUT_H

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>

struct out {
    int fd;           /* -1: the file is replaced by each write */
    bool own;         /* it was opened here */
    const char *name; /* for messages */
};

/* path NULL: standard output; it outlives `out`. With `replace` each text takes the place of the
 * one before: readers of the file see one of them whole, never a part (rename(2)). What is no
 * regular file, as a device, cannot be replaced, and is written to. Of a named pipe a reader is
 * waited for; signals end the program meanwhile as if it had not blocked them. Symbolic links are
 * followed, but of a file to replace none of others (file_target). -1 with a message. */
int out_open(struct out *out, const char *path, bool replace, struct err *err);

/* Writes all of the text, then clears it. 1 when the reader has gone (a closed pipe, which is an
 * end and no error), or takes nothing for seconds when a signal asks to end, which stays to be
 * taken; 0, or -1 with a message. Where a regular file had no room for all of the text, what there
 * was of it is taken back: the file ends as it did before. */
int out_write(struct out *out, struct str *text, struct err *err);

void out_close(struct out *out);

#endif
