/* Shows a recording instead of this machine (--replay). The terminal stays at the first interval
 * until a key plays or moves, like atop -r; batch mode writes all intervals. */
#ifndef APP_REPLAY_H
#define APP_REPLAY_H

#include "app/host.h"
#include "record/reader.h"

/* Opens a recording and reads its first interval. NULL with a message. */
struct reader *replay_read(const char *path, struct err *err);

/* Screens and metrics are chosen for the recorded machine: that of the interval read last. */
void replay_use_machine(struct reader *reader, struct machine *machine);

/* Opens the recording of --replay and sets its machine; call it before metrics and screens are
 * loaded. NULL with a message. */
struct reader *replay_open(const struct options *options, struct machine *machine, struct err *err);

/* An interval of a recording, without idle tasks. NULL with a message. */
struct frame *replay_frame(struct reader *reader, int64_t interval, struct err *err);

/* Replaces startup_make(): sets session, events and screen from the first interval. 0, or the exit
 * code with a message. */
int replay_setup(struct host *host, struct err *err);

#endif
