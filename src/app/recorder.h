/* Keeps intervals: in the file of --record, and the last minutes in memory: for a terminal
 * (--rewind), which playback.h reads, and for alarms (--when). */
#ifndef APP_RECORDER_H
#define APP_RECORDER_H

#include "app/startup.h"
#include "metric/machine.h"
#include "model/frame.h"
#include "record/writer.h"
#include "view/view.h"

struct recorder {
    struct writer *file;   /* NULL: not wanted, or ended by an error */
    struct writer *memory; /* NULL: not kept */
    uint64_t bytes;        /* maximum size of memory */
    double seconds;        /* how long they are kept there; 0: as long as they fit */
    struct run_facts facts;
    /* Intervals that wait while another program has locked the file; and how many found no room. */
    struct waiting_interval {
        struct snapshot *interval;
        struct session session;
    } * waiting;
    size_t waiting_count, waiting_room, waiting_bytes;
    unsigned long long lost;
    struct err locked;  /* what the last attempt said; "": it was not locked */
    struct err failure; /* why intervals are not in the file; "": all are */
};

/* Opens what the options ask for; call it before counting starts. The lookup outlives the recorder.
 * -1 with a message. */
int recorder_open(struct recorder *recorder, const struct options *options,
                  const struct machine *machine, const struct view_lookup *lookup, struct err *err);

enum { ALARM_BYTES = 32 << 20 }; /* of memory, at least, for alarms */

/* Begins a recording of the last `seconds` of those in memory, in a new file; recorder_take() goes
 * on with it. -1 with a message, and nothing to close. */
int recorder_copy(struct recorder *to, const struct recorder *from,
                  const struct view_lookup *lookup, const char *path, double seconds,
                  struct err *err);

/* Keeps the frame of an interval in file and memory. Call it once per interval, in order, whichever
 * frame is shown. If writing fails, the recording ends; while the file is locked, intervals wait.
 * The notice of setup's session reports both, and counting goes on. */
void recorder_take(struct recorder *recorder, struct startup *setup, const struct frame *interval);

/* Writes what waits, for which it takes some seconds at most, and closes the recordings. -1 with a
 * message if intervals are not in the file; a zeroed recorder is fine. */
int recorder_close(struct recorder *recorder, struct err *err);

#endif
