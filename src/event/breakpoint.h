/* Breakpoints as events, as perf writes them: `mem:ADDRESS[/LENGTH][:rwx]` (perf-record(1), -e). */
#ifndef EVENT_BREAKPOINT_H
#define EVENT_BREAKPOINT_H

#include "event/query.h"

/* Whether text begins as a breakpoint does; it may be malformed. */
bool breakpoint_is(const char *text);

/* Counts how often these bytes are read (r), written (w) or executed (x); rw is the default. The
 * length is 1, 2, 4 or 8; the default is 4, and sizeof(long) for x alone. Except for x alone the
 * address must be a multiple of the length: x86 refuses others, and arm64 watches only the part in
 * the first of two words (arch/arm64/kernel/hw_breakpoint.c). Processors may support fewer kinds
 * (x86 has no r alone, and x only with the default length): then opening the event fails. */
enum answer breakpoint_ask(struct query *q);

#endif
