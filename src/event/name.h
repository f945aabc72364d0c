/* Event names to perf_event_attr: perf's generic names first, then sysfs PMUs, tracepoints, raw
 * codes, then libpfm4 (this is its only user). */
#ifndef EVENT_NAME_H
#define EVENT_NAME_H

#include "base/err.h"
#include "event/event.h"
#include "sample/source.h"

/* Adds the events of a list as -e takes it: `cycles,instructions:u,'{branches,branch-misses}:k',
 * r01c2,msr/tsc/,sched:sched_switch`. Commas inside braces and between slashes belong to the event;
 * blanks around names do not count.
 * mode sets exclude_user and exclude_kernel of events without a modifier u, k or h,
 * but not of those that the scheduler makes happen (event_of_scheduler). An event that
 * is in the list already is not added again; when it stands in braces now, and did not before, it
 * joins their group. A name that nobody knows is an error (-1, message with the nearest name, list
 * as it was); one that is known but cannot exist here (a sysfs PMU that is not there, a libpfm4
 * event of another processor, a tracepoint) is added with its state and reason. That a hardware
 * event has no PMU to count it, is left to be found when it is opened (event/explain.h). */
int event_parse(struct event_list *list, const char *text, enum count_mode mode, struct err *err);

#endif
