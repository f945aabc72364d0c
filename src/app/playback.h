/* Moving in the kept intervals (struct playback): what the program needs. What front ends may ask
 * is in front/host.h. */
#ifndef APP_PLAYBACK_H
#define APP_PLAYBACK_H

#include "app/host.h"

/* recording: of a replay, taken over also after a failure; NULL: this machine is counted. -1
 * with a message. */
int playback_open(struct playback *playback, struct reader *recording, struct err *err);
void playback_close(struct playback *playback); /* before what it reads is closed */

/* Replay: the frame of an interval, which is then the one shown. NULL with a message. */
struct frame *playback_show(struct host *host, int64_t interval, struct err *err);
/* Replay: shows the same interval again, in the next turn of the loop. */
void playback_refresh(struct playback *playback);
/* Replay: sets the timer for the next interval. */
void playback_await(struct playback *playback);
/* The sum from the beginning of the generation to the interval shown; NULL if a part was dropped.
 */
struct frame *playback_total(struct host *host);

#endif
