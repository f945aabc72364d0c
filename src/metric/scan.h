/* Reads the words of a typed text: for expressions, perf's expressions and conditions. */
#pragma once

#include "base/base.h"

struct scan {
    const char *text, *at; /* the text, and what is read next */
    int depth;             /* of parentheses that are open */
    bool incomplete;       /* what is wrong is that the text ends: more of it may be right */
    struct err *err;
};

/* Sets the message that something is wrong at a place of the text, with its column. Returns -1. */
int scan_fail(struct scan *scan, const char *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Opens a parenthesis or an argument list: -1 with a message where too many are open. */
int scan_open(struct scan *scan, const char *at);
void scan_space(struct scan *scan);
/* Whether a character is next, after space; it is passed then. */
bool scan_accept(struct scan *scan, char c);
/* The index of the first of the signs with which the text goes on, after space; `count`: none. List
 * "<=" before "<". Does not pass it. */
size_t scan_sign(struct scan *scan, const char *const *signs, size_t count);
/* Reads a number: digits with a point, and an exponent. -1 with a message. */
int scan_number(struct scan *scan, double *number);
/* The text between the quotes that are next, which the caller frees. NULL with a message: they are
 * not closed, or there is nothing between them, for which `empty` is the message. */
char *scan_quoted(struct scan *scan, const char *empty);

/* Letters and digits, in every locale. */
bool scan_is_digit(char c);
bool scan_is_word(char c);
