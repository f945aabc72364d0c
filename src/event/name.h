/* Event names to perf_event_attr: all that perf_event_open(2) can count, by one grammar. */
#ifndef EVENT_NAME_H
#define EVENT_NAME_H

#include "base/err.h"
#include "event/event.h"

/* Adds the events of a list as -e takes it: `cycles,instructions:u,'{branches,branch-misses}:k',
 * r01c2,msr/tsc/,sched:sched_switch`. Commas inside braces and between slashes belong to the event;
 * blanks around names do not count. An event is one of these, and :MODIFIERS (event/modifier.h):
 *   NAME                      perf's generic events, in any of perf's spellings (event/generic.h)
 *   rNNNN                     a raw code in hexadecimal
 *   PMU/TERM[=VALUE],.../     of the PMU's format and events folders, config, config1, config2
 *                             (event/pmu.h); of each when several PMUs are called PMU_N
 *   NAME                      of a PMU's events folder, where only one PMU has it
 *   SUBSYSTEM:EVENT[/FILTER/] a tracepoint, the filter as the kernel takes it
 *                             (Documentation/trace/events.rst, "Event filtering")
 *   mem:ADDRESS[/LENGTH][:rwx]                    a breakpoint (event/breakpoint.h)
 *   uprobe:/PATH:FUNCTION[+OFFSET], kprobe:FUNCTION[+OFFSET] and uretprobe, kretprobe
 *                             (event/probe.h)
 *   [TABLE::]EVENT[:UMASK...] libpfm4's (event/libpfm.h)
 * Where core types have PMUs of their own, generic events and raw codes are counted on each type
 * (event/hybrid.h).
 * mode sets exclude_user and exclude_kernel of events without a modifier u, k or h,
 * but not of those that happen in kernel mode only (event_of_kernel): one that its modifiers
 * keep from ever counting (event_never) is added with its state and reason. An event that
 * is in the list already is not added again; when it stands in braces now, and did not before, it
 * joins their group. A name that nobody knows is an error (-1, message with the nearest name, list
 * as it was); one that is known but cannot exist here (a sysfs PMU that is not there, a libpfm4
 * event of another processor, a tracepoint) is added with its state and reason. That a hardware
 * event has no PMU to count it, is left to be found when it is opened (event/explain.h). */
int event_parse(struct event_list *list, const char *text, enum count_mode mode, struct err *err);

/* The same for a text that was written for several machines, such as a screen's: a name that nobody
 * knows here may be an event of another one, and is added as one that cannot exist here. What is
 * two letters at most from a name that is known is an error all the same. */
int event_parse_foreign(struct event_list *list, const char *text, enum count_mode mode,
                        struct err *err);

#endif
