/* The running program from start-up to its end. Only program.c knows all parts: its table of
 * stages says what is opened, in which order. */
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
int program_run(const struct options *options, const struct config *config,
                struct definitions *definitions, struct reader *recording,
                const struct child_heritage *heritage, struct err *err);

/* Commands as experiments: each is run several times, in turn with others, and what the runs
 * counted is written as one table (-r, --time, --compare). */

/* Runs them and returns the program's exit code, with a message if that is not 0. heritage: the
 * commands'. */
int experiment_run(const struct options *options, const struct definitions *definitions,
                   const struct child_heritage *heritage, struct err *err);

/* Recordings compared by the names of processes (--compare a.db b.db): each name has its mean over
 * the intervals of each recording. An interval in which no process of a name ran counts as 0, so
 * that the mean times the length of the recording is all that the name did; ratios are means of the
 * intervals in which they have a value. */

struct recordings;

/* Opens the recordings of --compare, and sets the machine of the first; call it before metrics are
 * loaded. NULL with a message. */
struct recordings *recordings_open(const struct options *options, struct machine *machine,
                                   struct err *err);
void recordings_close(struct recordings *recordings); /* NULL is fine */

/* Writes the comparison. 0, or the program's exit code with a message. */
int recordings_compare(struct recordings *recordings, const struct options *options,
                       const struct definitions *definitions, struct err *err);

#endif
