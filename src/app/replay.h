/* A recording in place of this machine (--replay): the same program shows the intervals of a file.
 * In the terminal it stays at the first one until a key plays it or moves, as with atop -r; in
 * batch mode all intervals are written, one after the other. */
#ifndef APP_REPLAY_H
#define APP_REPLAY_H

#include "app/host.h"
#include "record/reader.h"

/* Opens the recording, for the machine that it is of: before the metrics and screens are loaded.
 * NULL with a message, also where an option needs something to be counted. */
struct reader *replay_open(const struct options *options, struct machine *machine, struct err *err);

/* In the place of startup_make(): the session, the events and the screen, from the first interval.
 * 0, or the exit code with a message. */
int replay_setup(struct host *host, struct err *err);

#endif
