/* The source that needs no privilege for one's own tasks: perf groups on what is watched, read at
 * each snapshot. Without CAP_PERFMON and with perf_event_paranoid > 1 it counts user mode only
 * (perf_event_open(2)).
 *
 * As long as no single threads are wanted, a process is one task of the snapshots, with the counts
 * of all its threads, also of those that lived and died between two of them (engine/attachment.h);
 * so is a command with all that descends from it. Else, and on kernels before 5.13, each thread is
 * a task of its own; new ones are then found in /proc at each snapshot. */
#ifndef ENGINE_TASK_ENGINE_H
#define ENGINE_TASK_ENGINE_H

#include "base/err.h"
#include "sample/source.h"
#include "system/caps.h"

/* Watches nobody as yet: set_watch says whom. caps is copied. */
struct source *task_engine_new(const struct caps *caps);

#endif
