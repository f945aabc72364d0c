/* Where batch output goes: a stream that is flushed once a refresh. */
#ifndef FRONT_OUT_H
#define FRONT_OUT_H

#include "base/err.h"
#include "base/str.h"

#include <stdio.h>

struct out {
    FILE *stream;
    const char *name; /* for messages */
};

/* path NULL: standard output. -1 with a message. */
int out_open(struct out *out, const char *path, struct err *err);

/* Writes all of the text and flushes, then clears it. 1 when the reader has gone (a closed pipe,
 * which is an end and no error), 0, or -1 with a message. */
int out_write(struct out *out, struct str *text, struct err *err);

void out_close(struct out *out);

#endif
