/* A child process that does as many turns of a workload as it is ordered to. It ends with its
 * parent, however that ends. */
#ifndef DEMO_WORKER_H
#define DEMO_WORKER_H

#include "base/err.h"
#include "demo/workload.h"

struct worker;

/* Starts the child on the last of the CPUs that this process may use; its second thread, if it has
 * one, is on the CPU before. It prepares the work at its first order. Call it before threads are
 * started. NULL with a message. */
struct worker *worker_start(const struct workload *workload, struct err *err);
void worker_end(struct worker *worker); /* kills it; NULL is fine */

/* Forks a process with the workload's name, on such a CPU, which calls `body` and then ends. It
 * keeps the standard descriptors and `line` (-1: none). Returns its pid, or -1 with a message. */
pid_t worker_fork(const struct workload *workload, int line,
                  void (*body)(struct work *work, void *argument), void *argument, struct err *err);
void worker_kill(pid_t pid);

pid_t worker_pid(const struct worker *worker);

/* Moves the calling thread to a CPU. False: it may not use that. */
bool worker_move(int cpu);
/* How many CPUs this process may use. */
int worker_cpus(void);

/* Lets the child do that many turns, `repeats` times, and waits until all its threads sleep. -1
 * with a message if the child has ended. */
int worker_do(struct worker *worker, uint64_t turns, unsigned repeats, struct work_report *report,
              struct err *err);

#endif
