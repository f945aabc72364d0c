/* The letters behind an event: `cycles:u`. Their meaning is perf's: perf-list(1), "EVENT
 * MODIFIERS". */
#ifndef EVENT_MODIFIER_H
#define EVENT_MODIFIER_H

#include "base/err.h"

#include <linux/perf_event.h>
#include <stdbool.h>

/* u k h H G I p P D W e S b. Whether text is nothing but these letters, and at least one of them.
 */
bool modifier_is(const char *text);

/* Whether text ("" too) is a valid set of modifiers: no letter twice but p, which up to three. -1
 * with a message that names the event. */
int modifier_check(const char *text, const char *event, struct err *err);

/* Sets what valid modifiers ask for: exclude_*, precise_ip, pinned (D) and exclusive (e). Returns
 * whether they name a mode (u, k or h), which then stands above the mode of the whole program. P,
 * W, S and b change nothing: a count has no address to be precise about, groups are weak (taken
 * apart where they cannot be counted together) and read as one anyway, and b says how perf counts,
 * not what. */
bool modifier_apply(const char *text, struct perf_event_attr *attr);

#endif
