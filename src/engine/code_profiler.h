/* Samples an event with perf_event_open(2) to see in which code it happens.
 *
 * Where whole CPUs may be counted and more than a few processes are wanted, or the kernel cannot
 * read a group with the samples of inherited events (before Linux 6.12), one event a CPU samples
 * all tasks (pid -1); otherwise each watched thread has an event a CPU, which new threads (for a
 * command: all descendants) inherit. An inherited event can only be mapped per CPU: events of a CPU
 * share a ring (sys_set_output()). */
#ifndef ENGINE_CODE_PROFILER_H
#define ENGINE_CODE_PROFILER_H

#include "base/cpulist.h"
#include "sample/profile.h"
#include "system/caps.h"

/* whole: CPUs as a whole may be counted (the system-wide engine counts). Nothing is opened before
 * start(). Copies caps and CPUs. */
struct profiler *code_profiler_new(const struct caps *caps, const struct cpulist *cpus, bool whole);

#endif
