/* The file of --debug: what was opened, refused and lost, and when, to find out why a machine
 * counts less than expected. Without the option nothing is written. This is the program's only
 * global state, so that every function can log without a parameter for it. */
#pragma once

#include "base/err.h"

/* Lines go to the open file; its path must last, for a message. Call it once, before other threads
 * are started. */
void log_to(int fd, const char *path);

/* -1 with a message if a line could not be written, except to a pipe whose reader is slow or gone.
 */
int log_check(struct err *err);

/* Nothing is written from now on, but the file stays open: for a child that closes all. */
void log_close(void);

/* Writes a line: the time since the machine started (seconds, CLOCK_MONOTONIC, as in perf script
 * and dmesg), the thread's id, and the text, cut at 1,000 characters. Each line is one write(2).
 * Any thread may call it. Keeps errno. */
void log_line(const char *format, ...) __attribute__((format(printf, 1, 2)));
