/* What perf's generic events count, in a few words each, from perf_event_open(2) on the constants
 * of PERF_TYPE_HARDWARE, PERF_TYPE_SOFTWARE and PERF_TYPE_HW_CACHE. */
#ifndef EVENT_MEANING_H
#define EVENT_MEANING_H

#include "event/generic.h"

/* One line; the caller frees it. "" for an event of newer kernels. */
char *meaning_text(const struct generic_event *event);

#endif
