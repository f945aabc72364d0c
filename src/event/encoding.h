/* The complete encoding of an event, to be looked up in a manual. */
#ifndef EVENT_ENCODING_H
#define EVENT_ENCODING_H

#include "event/event.h"

/* "cpu type=4 config=0x20d1 skx::MEM_LOAD_RETIRED:L3_MISS:e=0...": PMU, type, config and, unless 0,
 * config1 and config2 in hexadecimal, the target of a probe, the filter, and libpfm4's full string
 * unless it is NULL. On a machine with several core types the encoding for each, separated by
 * "; ". The caller frees it. */
char *encoding_text(const struct event *event, const char *full);

#endif
