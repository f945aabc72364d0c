/* Moving in the kept intervals (struct playback). The part for the program; that for front ends is
 * in front/host.h. */
#ifndef APP_PLAYBACK_H
#define APP_PLAYBACK_H

#include "app/host.h"

/* Closes the reader, before its database is closed. A second call does nothing. */
void playback_close(struct playback *playback);

/* Replay: moves to an interval and returns its frame. NULL with a message. */
struct frame *playback_show(struct host *host, int64_t interval, struct err *err);
/* Replay: the next turn of the loop shows the same interval again. */
void playback_refresh(struct playback *playback);
/* Replay: sets the timer for the next interval. */
void playback_await(struct playback *playback);
/* The total from the beginning of the generation to the interval shown; NULL if a part was
 * dropped. */
struct frame *playback_total(struct host *host);

#endif
