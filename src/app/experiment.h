/* Commands as experiments: each is run several times, in turn with others, and what the runs
 * counted is written as one table (-r, --time, --compare). */
#ifndef APP_EXPERIMENT_H
#define APP_EXPERIMENT_H

#include "cli/definitions.h"
#include "cli/options.h"
#include "system/child.h"

/* Runs them and returns the program's exit code, with a message if that is not 0. heritage: the
 * commands'. */
int experiment_run(struct options *options, const struct definitions *definitions,
                   const struct child_heritage *heritage, struct err *err);

#endif
