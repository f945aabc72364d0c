/* A workload that runs in a process of its own until it is ended, and can be changed meanwhile. It
 * ends with its parent, however that ends. The settings and what it has done are in shared memory,
 * so only live_start() and live_end() make system calls. */
#ifndef DEMO_LIVE_H
#define DEMO_LIVE_H

#include "base/err.h"
#include "demo/workload.h"

struct live;

/* To be called by the first thread, with no other. NULL with a message. */
struct live *live_start(const struct workload *workload, struct err *err);
void live_end(struct live *live); /* kills it; NULL is fine */

pid_t live_pid(const struct live *live);
pid_t live_tid(const struct live *live, int thread); /* 1 or 2; 0: it has not begun */

/* What can be changed: the workload's knob, and the number of its threads. */
enum live_knob { LIVE_VALUE, LIVE_THREADS, LIVE_KNOBS };
enum { LIVE_THREADS_MAX = 8 };
bool live_has(const struct live *live, enum live_knob knob);
size_t live_value(const struct live *live, enum live_knob knob);
/* A step up (1) or down (-1). False: it has no such knob, or is at the end of it. */
bool live_turn(struct live *live, enum live_knob knob, int step);

/* What it has done. */
struct live_work {
    double turns;       /* since it began */
    double quickest;    /* ns a turn, the least in the last second; NAN: not known */
    uint64_t unchanged; /* since when it works with the present settings (monotonic, ns);
                           UINT64_MAX: not yet */
};
/* Fills in what it has done up to that time (monotonic, ns), at most some seconds ago. A turn that
 * was not finished then counts in part. False: not known any more. */
bool live_done(const struct live *live, uint64_t time, struct live_work *work);

#endif
