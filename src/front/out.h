/* The target of batch output: a file or pipe. Each refresh is written at once, so that a reader
 * sees it when it is made. Writing waits for a slow reader until a blocked signal asks the program
 * to end (loop_signals). */
#pragma once

#include "base/base.h"

struct out {
    int fd;           /* -1: each write replaces the file */
    bool own;         /* opened by out_open */
    bool socket;      /* written with send(2) */
    const char *name; /* for messages */
};

/* path NULL: standard output; path outlives `out`. With `replace` each text replaces the previous
 * one by rename(2), so that readers never see a part of it; devices and pipes are written directly.
 * Opening a named pipe waits for a reader; signals then end the program as if they were not
 * blocked. What other users put into a folder that others may write is refused (file_create()). -1
 * with a message.
 */
int out_open(struct out *out, const char *path, bool replace, struct err *err);

/* Writes all of the text, then clears it. Returns 0; -1 with a message; 1 if the reader has closed
 * the pipe, or a signal asked to end (and stays pending) and the reader takes nothing for seconds.
 * If a file has no space for all of the text, the written part is removed. */
int out_write(struct out *out, struct str *text, struct err *err);

void out_close(struct out *out);
