/* Alarms (--when): when a condition becomes true, the last intervals that are kept in memory and
 * what follows go to a recording of their own. With --test-when they are only told. */
#ifndef APP_ALARM_H
#define APP_ALARM_H

#include "app/host.h"
#include "app/recorder.h"
#include "system/child.h"
#include "view/condition.h"

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
 * is freed. A zeroed alarm is fine. */
void alarm_end(struct alarm *alarm);
void alarm_close(struct alarm *alarm);
void alarm_stop(struct alarm *alarm);

#endif
