/* Shows a recording instead of this machine (--replay). The terminal stays at the first interval
 * until a key plays or moves, like atop -r; batch mode writes all intervals. */
#ifndef APP_REPLAY_H
#define APP_REPLAY_H

#include "app/host.h"
#include "record/reader.h"

/* Opens the recording and sets its machine; call it before metrics and screens are loaded. NULL
 * with a message, also if an option needs counting. */
struct reader *replay_open(const struct options *options, struct machine *machine, struct err *err);

/* Replaces startup_make(): sets session, events and screen from the first interval. 0, or the exit
 * code with a message. */
int replay_setup(struct host *host, struct err *err);

#endif
