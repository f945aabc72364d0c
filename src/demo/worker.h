/* A child process that does the work of a workload, as many turns as it is told. It ends with its
 * parent, however that ends. */
#ifndef DEMO_WORKER_H
#define DEMO_WORKER_H

#include "base/err.h"
#include "demo/workload.h"

struct worker;

/* Starts it on the last of the CPUs that this process may use, with a second thread on the one
 * before. It prepares itself at its first order. To be called by the first thread, with no other.
 * NULL with a message. */
struct worker *worker_start(const struct workload *workload, struct err *err);
void worker_end(struct worker *worker); /* kills it; NULL is fine */

/* The same for other bodies than that of worker_do(): forks a process with the workload's name,
 * which calls the body with its work. Of descriptors it has the standard ones and `line` (-1:
 * none). Returns its pid, or -1 with a message. */
pid_t worker_fork(const struct workload *workload, int line,
                  void (*body)(struct work *work, void *argument), void *argument, struct err *err);
void worker_kill(pid_t pid);

pid_t worker_pid(const struct worker *worker);

/* How many CPUs this process may use. */
int worker_cpus(void);

/* Does the turns as often as `repeats` says and waits until all its threads sleep. -1 with a
 * message if it has ended. */
int worker_do(struct worker *worker, uint64_t turns, unsigned repeats, struct work_report *report,
              struct err *err);

#endif
