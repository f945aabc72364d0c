/* The source that needs no privilege for the user's own tasks: perf groups on watched tasks, read
 * at each snapshot. Without CAP_PERFMON and with perf_event_paranoid > 1 it counts user mode only
 * (perf_event_open(2)).
 *
 * Unless threads are to be shown, a process is one task of the snapshots, with the counts of all
 * its threads, also of those that lived and died between two snapshots (engine/task_counters.h); a
 * command is one task with all its descendants. With threads, and on kernels before 5.13, each
 * thread is a task; new ones are found in /proc at each snapshot. */
#ifndef ENGINE_TASK_ENGINE_H
#define ENGINE_TASK_ENGINE_H

#include "base/err.h"
#include "sample/source.h"
#include "system/caps.h"

/* Watches nothing before set_watch. Copies caps. */
struct source *task_engine_new(const struct caps *caps);

#endif
