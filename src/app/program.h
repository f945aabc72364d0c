/* The running program, from start-up to its end. Only program.c knows all its parts. */
#ifndef APP_PROGRAM_H
#define APP_PROGRAM_H

#include "cli/config.h"
#include "cli/definitions.h"
#include "cli/options.h"
#include "record/reader.h"

/* Runs, and returns the exit code; where that is not 0 with a message, unless it is the command's
 * own. recording: what is shown in place of this machine, which it closes; NULL: this machine is
 * counted. environment: the command's. */
int program_run(struct options *options, const struct config *config,
                struct definitions *definitions, struct reader *recording, char **environment,
                struct err *err);

#endif
