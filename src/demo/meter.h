/* Counts a process as the program does: the same engine, sampler thread, event code and differences
 * between snapshots. */
#ifndef DEMO_METER_H
#define DEMO_METER_H

#include "base/err.h"
#include "demo/workload.h"
#include "model/frame.h"
#include "system/caps.h"

struct meter;

/* ledger: with the engine 'cpu', which counts all tasks; else with 'task'. It starts a thread. NULL
 * with a message. */
struct meter *meter_open(bool ledger, const struct caps *caps, struct err *err);
void meter_close(struct meter *meter); /* NULL is fine */

/* Counts these events (as -e takes them) of a process from now on, each of its threads apart if
 * `threads`. *reason gets why the first of them that cannot be counted is not, which the caller
 * frees; NULL: all are. -1 with a message if nothing can be counted. */
int meter_count(struct meter *meter, const char *events, pid_t pid, bool threads, char **reason,
                struct err *err);

/* Samples what the check is about, in frames from now on, until meter_count(). -1 with a message.
 */
int meter_sample(struct meter *meter, const struct demo_check *check, pid_t pid, struct err *err);

/* What happened since the last call, or since meter_count(). The caller frees it. */
struct frame *meter_take(struct meter *meter);

#endif
