/* The intervals that are kept, of a recording (--replay) or of the last minutes (--rewind), and
 * where in them one is: what the terminal's keys move in (struct front_time). */
#ifndef APP_PLAYBACK_H
#define APP_PLAYBACK_H

#include "base/err.h"
#include "front/front.h"
#include "model/totals.h"
#include "record/reader.h"

struct program;

struct playback {
    struct reader *reader;    /* NULL: no intervals are kept */
    bool replay;              /* they are a recording, and nothing is counted */
    int64_t at;               /* the interval on show; 0: what is counted now */
    double time;              /* when that ended; seconds since 1970 */
    struct event_set *events; /* its events; NULL: what is counted now is on show */
    double speed;             /* replay: 1 is as it was, 0: it stands still */
    int timer;                /* replay: readable when the next interval is due; else -1 */
    bool watched;             /* replay: rows are chosen by what was asked for since */
    bool again;               /* replay: then the one on show is to be shown once more */
    struct totals *totals;    /* from the first of the generation up to whole_at */
    int64_t whole_at;
};

void playback_init(struct playback *playback);
void playback_close(struct playback *playback); /* before what it reads is closed */

struct front_time playback_calls(struct program *program);

/* Replay: the frame of an interval, which is then the one on show. NULL with a message. */
struct frame *playback_show(struct program *program, int64_t interval, struct err *err);
/* Replay: shows the interval on show once more, soon (loop). */
void playback_refresh(struct playback *playback);
/* Replay: lets the next interval come when it is due. */
void playback_await(struct playback *playback);
/* From the beginning of the generation to the interval on show; NULL where not all is there. */
struct frame *playback_total(struct program *program);

#endif
