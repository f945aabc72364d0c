/* The source that needs no privilege for one's own processes: perf groups on each watched thread,
 * read at each snapshot. Without CAP_PERFMON and with perf_event_paranoid > 1 it counts user mode
 * only (perf_event_open(2)). New threads are found in /proc at each snapshot. */
#ifndef ENGINE_TASK_ENGINE_H
#define ENGINE_TASK_ENGINE_H

#include "base/err.h"
#include "sample/source.h"
#include "system/caps.h"

/* Watches nobody as yet: set_watch says whom. caps is copied. */
struct source *task_engine_new(const struct caps *caps);

#endif
