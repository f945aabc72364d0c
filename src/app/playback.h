/* Moving in the intervals that are kept (struct playback): what front ends ask of them is in
 * front/host.h, here is what the program does. */
#ifndef APP_PLAYBACK_H
#define APP_PLAYBACK_H

#include "app/host.h"

/* recording: of a replay, which it takes over, also after a failure; NULL: something is counted. -1
 * with a message. */
int playback_open(struct playback *playback, struct reader *recording, struct err *err);
void playback_close(struct playback *playback); /* before what it reads is closed */

/* Replay: the frame of an interval, which is then the one shown. NULL with a message. */
struct frame *playback_show(struct host *host, int64_t interval, struct err *err);
/* Replay: shows that interval once more, soon (loop). */
void playback_refresh(struct playback *playback);
/* Replay: lets the next interval come when it is due. */
void playback_await(struct playback *playback);
/* From the beginning of the generation to the interval shown; NULL where not all is there. */
struct frame *playback_total(struct host *host);

#endif
