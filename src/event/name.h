/* Parses event names into perf_event_attr: one grammar for everything that perf_event_open(2)
 * counts. */
#pragma once

#include "event/event.h"

/* Adds the events of a list as -e takes it: `cycles,instructions:u,'{branches,branch-misses}:k',
 * r01c2,msr/tsc/,sched:sched_switch`. Commas inside braces and between slashes belong to the event;
 * blanks around names are ignored. `NAME=` before an event, or a term `name=NAME` between its
 * slashes, gives it a name of its own. An event is one of these, with optional :MODIFIERS
 * (perf-list(1)):
 *   NAME                      perf's generic events, in any of perf's spellings (generic_find())
 *   PMU/TERM[=VALUE],.../     of the PMU's format and events folders, config, config1, config2
 *                             (event/pmu.h); of each when several PMUs are called PMU_N
 *   NAME                      of a PMU's events folder, or of an event file (event/event_table.h),
 *                             where only one PMU has it, or core PMUs alone; of each PMU
 *                             where an event file has it for several of a kind (uncore_imc_N)
 * or what event/spellings.txt lists (event/query.h): raw codes, tracepoints, breakpoints, probes,
 * and libpfm4's names, with or without their table.
 * On machines with several core types, generic events, raw codes and names of several core PMUs are
 * counted on each type.
 *
 * mode sets exclude_user and exclude_kernel of events without a modifier u, k or h, except of those
 * that happen in kernel mode only (event_of_kernel). An event that its modifiers keep from ever
 * counting (event_never) is added with its state and reason. An event that is in the list already
 * is not added again; if it is in braces only now, it joins their group.
 *
 * An unknown name is an error: -1, a message with the nearest name, and the list is unchanged; so
 * is a tracepoint that this kernel has not, and a PMU whose name is close to one of this machine.
 * A name that may be known but does not exist on this machine (another sysfs PMU, a libpfm4 event
 * of another processor), and a tracepoint where tracefs is not readable, is added with its state
 * and reason. A missing hardware PMU is found when the event is opened (event/event.h). */
int event_parse(struct event_list *list, const char *text, enum count_mode mode, struct err *err);

/* The same for a text that was written for several machines, such as a screen's: an unknown name
 * may be an event of another machine and is added as one that does not exist here. It is still an
 * error if it differs in two letters at most from a known name. */
int event_parse_foreign(struct event_list *list, const char *text, enum count_mode mode,
                        struct err *err);
