/* The letters after an event: `cycles:u`. Their meaning is perf's: perf-list(1), "EVENT
 * MODIFIERS". */
#ifndef EVENT_MODIFIER_H
#define EVENT_MODIFIER_H

#include "base/err.h"

#include <linux/perf_event.h>
#include <stdbool.h>

/* Whether text consists of the letters u k h H G I p P D W e S b only, and is not empty. */
bool modifier_is(const char *text);

/* Whether text, which may be "", is a valid set of modifiers: no letter twice, except p up to three
 * times. -1 with a message that names the event. */
int modifier_check(const char *text, const char *event, struct err *err);

/* Sets exclude_*, precise_ip, pinned (D) and exclusive (e) from valid modifiers. Returns whether
 * they name a mode (u, k or h), which then overrides the program's mode. P, W, S and b have no
 * effect: precision is for sampled addresses (P), groups are always weak, which means split if they
 * do not fit (W), and always read as one (S), and b selects how perf counts. */
bool modifier_apply(const char *text, struct perf_event_attr *attr);

#endif
