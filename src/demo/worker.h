/* A child process that does as many turns of a workload as it is ordered to. It ends with its
 * parent, however that ends. */
#pragma once

#include "demo/workload.h"

struct worker;

/* Starts the child on the last of the CPUs that this process may use; its second thread, if it has
 * one, is on the CPU before. It prepares the work at its first order. Call it before threads are
 * started. NULL with a message. */
struct worker *worker_start(const struct workload *workload, struct err *err);
void worker_end(struct worker *worker); /* kills it; NULL is fine */

pid_t worker_pid(const struct worker *worker);

/* Moves the calling thread to a CPU. False: it may not use that. */
bool worker_move(int cpu);
/* How many CPUs this process may use. */
int worker_cpus(void);

/* Lets the child do that many turns, `repeats` times, and waits until all its threads sleep. -1
 * with a message if the child has ended. */
int worker_do(struct worker *worker, uint64_t turns, unsigned repeats, struct work_report *report,
              struct err *err);

/* A workload that runs in a process of its own until it is ended, and can be changed
 * meanwhile. It ends with its parent, however that ends. The settings and what it has done are in
 * shared memory, so only live_start() and live_end() make system calls. */

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
