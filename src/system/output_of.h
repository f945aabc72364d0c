/* What another program prints. */
#ifndef SYSTEM_OUTPUT_OF_H
#define SYSTEM_OUTPUT_OF_H

#include "base/err.h"
#include "base/str.h"

/* Runs a program, found as execvp(3) does, in the locale C, with the descriptor `input` as its
 * standard input, and adds what it prints to `output`, at most `limit` bytes, after which it is
 * ended. Waits for its end. -1 with a message if it cannot be started or fails. */
int output_of(char *const *words, int input, size_t limit, struct str *output, struct err *err);

#endif
