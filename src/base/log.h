/* The file of --debug: what was opened, refused and lost, and when. For finding out why a machine
 * counts less than expected; nothing is written without the option. The one global state of the
 * program: whatever opens or refuses something can say so without being handed a log. */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include "base/err.h"

#include <stdbool.h>

/* Writes to this file from now on, at its end; it is made, readable by its owner alone, where it is
 * not there. Call it once, before there is a second thread. -1 with a message. */
int log_open(const char *path, struct err *err);

/* Whether there is such a file: to spare the work of a text that nobody reads. */
bool log_is_open(void);

/* One line: the time since the start of the machine (seconds, CLOCK_MONOTONIC, as perf script and
 * dmesg show it), the thread's id, and the text. Each line is one write(2); one that does not fit
 * into 1,000 characters is cut. Any thread may call it. errno stays as it is. */
void log_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
