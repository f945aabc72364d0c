/* Recordings compared by the names of processes (--compare a.db b.db): each name has its mean over
 * the intervals of each recording. An interval in which no process of a name ran counts as 0, so
 * that the mean times the length of the recording is all that the name did; ratios are means of the
 * intervals in which they have a value. */
#ifndef APP_RECORDINGS_H
#define APP_RECORDINGS_H

#include "cli/definitions.h"
#include "cli/options.h"

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
