/* What counts and samples: two sources of counts, and the profiler. */
#pragma once

#include "sample/source.h"
#include "system/caps.h"

/* The system-wide source: on each CPU groups that contain context-switches with period 1, whose
 * samples carry all counts of the group; see engine/ledger.h. Needs CAP_PERFMON or
 * perf_event_paranoid < 1 (perf_event_open(2)).
 *
 * A source for the CPUs of the list, without events at first; with `others` CPUs that come online
 * later are counted, too. NULL with a message if system-wide counting is not possible. caps and the
 * list are copied. */
struct source *cpu_engine_new(const struct cpulist *cpus, bool others, const struct caps *caps,
                              uint64_t delay, struct err *err);

/* The source that needs no privilege for the user's own tasks: perf groups on watched tasks, read
 * at each snapshot. Without CAP_PERFMON and with perf_event_paranoid > 1 it counts user mode only
 * (perf_event_open(2)).
 *
 * Unless threads are to be shown, a process is one task of the snapshots, with the counts of all
 * its threads, also of those that lived and died between two snapshots (engine/watcher.h); a
 * command is one task with all its descendants. With threads, and on kernels before 5.13, each
 * thread is a task; new ones are found in /proc at each snapshot.
 *
 * Watches nothing before set_watch. Copies caps. */
struct source *task_engine_new(const struct caps *caps);

/* Samples an event with perf_event_open(2) to see in which code it happens.
 *
 * Where whole CPUs may be counted and more than a few processes are wanted, or the kernel cannot
 * read a group with the samples of inherited events (before Linux 6.12), one event a CPU samples
 * all tasks (pid -1); otherwise each watched thread has an event a CPU, which new threads (for a
 * command: all descendants) inherit. An inherited event can only be mapped per CPU: events of a CPU
 * share a ring (sys_set_output()).
 *
 * whole: CPUs as a whole may be counted (the system-wide engine counts). Nothing is opened before
 * start(). Copies caps and CPUs. */
struct profiler *code_profiler_new(const struct caps *caps, const struct cpulist *cpus, bool whole);
