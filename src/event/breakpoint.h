/* Breakpoints as events, as perf writes them: `mem:ADDRESS[/LENGTH][:rwx]` (perf-record(1), -e). */
#ifndef EVENT_BREAKPOINT_H
#define EVENT_BREAKPOINT_H

#include "event/query.h"

/* Whether text is meant to be a breakpoint, right or wrong. */
bool breakpoint_is(const char *text);

/* Counts how often these bytes are read (r), written (w) or executed (x); rw is the default. Of 4
 * bytes, or of a long for x alone, unless the length says otherwise: 1, 2, 4 or 8. The address is a
 * multiple of the length, unless x stands alone: x86 refuses others, and of those that lie in two
 * words arm64 watches the part in the first (arch/arm64/kernel/hw_breakpoint.c). A processor may
 * know fewer kinds, x86 neither r alone nor x of another length: that is left to be found when it
 * is opened. */
enum answer breakpoint_ask(struct query *q);

#endif
