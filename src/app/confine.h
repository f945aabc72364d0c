/* What reads a stranger's recording opens no other file than it needs: rules of
 * system/sandbox.h. What is started for each kind of reader is in confine.c. Call them after
 * sandbox_enter(), before the recording is opened. */
#ifndef APP_CONFINE_H
#define APP_CONFINE_H

#include "cli/options.h"

#include <stdbool.h>

/* For the program that shows the recordings of the options (--replay, --compare): it opens them,
 * the user's and the installed files, and what libraries read; it writes the outputs of the options
 * and, with a terminal, the user's files. An output that is not there yet is made empty, since
 * rules are for files that are there; a terminal's user gets a directory for files. False: not
 * possible. */
bool confine_show(const struct options *options);

/* For a process that reads a recording, and nothing else. False: not possible. */
bool confine_read(const char *recording);

#endif
