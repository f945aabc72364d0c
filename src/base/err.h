/* An error message: one line, lower case, the failure first, the subject in single quotes, then
 * the remedy. Functions that can fail return 0 or -1 and fill one of these; only main.c prints and
 * exits. */
#pragma once

#include <stdarg.h>

struct err {
    char text[512]; /* "": no error; harmless on a terminal (str_clean()) */
};

/* strerror(3) for a message, with the remedy where it is the program's own limit. */
const char *err_reason(int error);

/* Sets the message (cut at the size of text) and returns -1, so that a caller can write
 * `return err_set(err, ...)`. err may be NULL: then only -1 is returned. */
int err_set(struct err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same where a pointer is returned: NULL. */
#define err_null(...) (err_set(__VA_ARGS__), NULL)
void err_vset(struct err *err, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));

/* Prints a line of the program to standard error, harmless there (str_add_visible()). */
void err_say(const char *text);

/* Appends the name that the user may have meant, NULL for none: "...; nearest is 'X'". Returns
 * -1. */
int err_add_nearest(struct err *err, const char *nearest);

/* Sets "WHAT 'NAME': did you mean 'NEAREST'?"; with nearest NULL "WHAT 'NAME': OTHERWISE". Returns
 * -1. */
int err_unknown(struct err *err, const char *what, const char *name, const char *nearest,
                const char *otherwise);

/* Sets the message about a mistake at `place`, which points into `text`: what is wrong, the column
 * (from 1), and the text around it with a caret: "expected a number at column 3: a ^b". Returns
 * -1. */
int err_point(struct err *err, const char *what, const char *text, const char *place);
