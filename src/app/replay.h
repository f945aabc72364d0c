/* A recording in place of this machine (--replay): the same program, on the intervals that a file
 * holds. In the terminal it stands still at the first one until it is told to play or to move, as
 * with atop -r; in batch mode all intervals are written, one after the other. */
#ifndef APP_REPLAY_H
#define APP_REPLAY_H

#include "app/loop.h"
#include "app/program.h"

/* Opens the recording, for the machine that it is of: before the metrics and screens are loaded. -1
 * with a message, also where an option needs something to be counted. */
int replay_open(struct program *program, struct err *err);

/* In the place of startup_make(): the session, the events and the screen, from the first interval.
 * 0, or the exit code with a message. */
int replay_setup(struct program *program, struct err *err);

/* The session is as it was in the interval that was read last. */
void replay_take_session(struct program *program, struct event_set *events);

int replay_fd(const struct program *program); /* readable when it is time for: */
/* The next interval, for the loop; the end of the recording is that of batch mode. */
enum loop_next replay_next(void *ctx);

#endif
