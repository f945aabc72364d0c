/* An event in full, for people who look it up in a manual. */
#ifndef EVENT_ENCODING_H
#define EVENT_ENCODING_H

#include "event/event.h"

/* "cpu type=4 config=0x20d1 skx::MEM_LOAD_RETIRED:L3_MISS:e=0...": PMU, type, what of config,
 * config1 and config2 is not 0 in hexadecimal (config always), what a probe or a filter adds, and
 * libpfm4's full string unless it is NULL; on a machine with several core types the encoding of
 * each, separated by "; ". The caller frees it. */
char *encoding_text(const struct event *event, const char *full);

#endif
