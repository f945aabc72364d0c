/* Where batch output goes: a file or a pipe that gets all of a refresh at once, so that its reader
 * sees each refresh when it is made. Writing waits for a slow reader until a blocked signal asks
 * the program to end (loop_signals). */
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

/* path NULL: standard output; path outlives `out`. With `replace` each text replaces the previous
 * one by rename(2), so that readers never see a part of it; devices and pipes are written to
 * instead. Opening a named pipe waits for a reader, and signals end the program meanwhile as if
 * they were not blocked. Symbolic links are followed; those of other users are not if the file is
 * to be replaced (file_target). -1 with a message. */
int out_open(struct out *out, const char *path, bool replace, struct err *err);

/* Writes all of the text, then clears it. Returns 0, or -1 with a message, or 1 when the reader has
 * closed the pipe, or takes nothing for seconds after a signal asked to end, which stays pending.
 * If a regular file has no space for all of the text, the part written is removed again. */
int out_write(struct out *out, struct str *text, struct err *err);

void out_close(struct out *out);

#endif
