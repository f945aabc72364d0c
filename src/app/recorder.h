/* Keeps intervals: in the file of --record, and the last minutes in memory: for a terminal
 * (--rewind), which playback.h reads, and for alarms (--when). */
#pragma once

#include "app/host.h"
#include "system/child.h"
#include "view/condition.h"

struct recorder {
    struct writer *file;   /* NULL: not wanted, or ended by an error */
    struct writer *memory; /* NULL: not kept */
    uint64_t bytes;        /* maximum size of memory */
    double seconds;        /* how long they are kept there; 0: as long as they fit */
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

/* Alarms (--when): when a condition becomes true, the last intervals that are kept in memory and
 * what follows go to a recording of their own. With --test-when they are only told. */

struct alarm {
    struct host *host;
    struct view *view;           /* of its own: keys of the terminal do not change it */
    char *text;                  /* of the condition */
    struct condition *condition; /* NULL: none */
    struct event_set *events;    /* that the condition is bound to */
    double now, previous;        /* ends of this interval and of the one before, seconds counted */
    struct map followed;         /* struct followed, by the ids of rows */
    struct recorder *kept;       /* has the last intervals in memory */
    struct recorder recorder;    /* of the recording that is written */
    char *path;                  /* of that one, or of one that could not be made yet; NULL: none */
    double from, until;          /* what it covers, seconds counted */
    struct session_alarm first;  /* of the recording; its condition is the options' */
    struct child *starter;       /* executes the command of --exec for each path; NULL: none */
    int paths;                   /* a pipe to it; 0: none */
    size_t failed;               /* recordings that are missing or not whole */
    /* In the recording of an alarm: host_alarm(). */
    double *values;
    size_t count, known;
};

/* Makes what runs the command of --exec. Call it before the sandbox is entered and threads are
 * started. -1 with a message. */
int alarm_start(struct alarm *alarm, const struct options *options,
                const struct child_heritage *heritage, struct err *err);

/* Reads the condition; call it when the events are known. -1 with a message. */
int alarm_open(struct alarm *alarm, struct host *host, struct err *err);

/* Looks at an interval, after `kept` has it. */
void alarm_take(struct alarm *alarm, const struct frame *frame);

/* Ends the recording that is written; then the command of --exec gets no more paths; then the rest
 * is freed. A zeroed alarm is fine. -1 with a message if a recording of any alarm is not whole. */
int alarm_end(struct alarm *alarm, struct err *err);
void alarm_close(struct alarm *alarm);
void alarm_stop(struct alarm *alarm);
