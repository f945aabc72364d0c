/* Moving in the kept intervals (struct playback). The part for the program; that for front ends is
 * in front/host.h. */
#ifndef APP_PLAYBACK_H
#define APP_PLAYBACK_H

#include "app/host.h"

/* Closes the reader, before its database is closed. A second call does nothing. */
void playback_close(struct playback *playback);

/* Replay: moves to an interval and returns its frame. NULL with a message. */
struct frame *playback_show(struct host *host, int64_t interval, struct err *err);
/* Of the intervals from `first` to `last` that which contains the time, or the nearest: the first
 * that ended then or later. If the clock was set back, several may match; any is returned. */
int64_t playback_find(const struct playback *playback, int64_t first, int64_t last, double time);
/* Replay: the next turn of the loop shows the same interval again. */
void playback_refresh(struct playback *playback);
/* Replay: sets the timer for the next interval. */
void playback_await(struct playback *playback);
/* The total from the beginning of the generation to the interval shown; NULL if a part was
 * dropped. */
struct frame *playback_total(struct host *host);

/* Shows a recording instead of this machine (--replay). The terminal plays it, or stays at the
 * interval of its alarm until a key plays or moves; batch mode writes all intervals. */

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
