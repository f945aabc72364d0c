/* The running program from start-up to its end. Only program.c knows all parts. */
#ifndef APP_PROGRAM_H
#define APP_PROGRAM_H

#include "cli/config.h"
#include "cli/definitions.h"
#include "cli/options.h"
#include "record/reader.h"
#include "system/child.h"

/* Runs the program and returns its exit code; with a message if that is not 0, unless it is the
 * command's. recording: is replayed and closed; NULL: counts this machine. heritage: the
 * command's. */
int program_run(struct options *options, const struct config *config,
                struct definitions *definitions, struct reader *recording,
                const struct child_heritage *heritage, struct err *err);

#endif
