/* The units of metrics: counts, ratios, percent, seconds, bytes, Hz, joules, with optional SI
 * prefixes and `/s`. Events are counts without a dimension, so the only dimension that can be
 * checked for an expression is time. */
#ifndef METRIC_UNIT_H
#define METRIC_UNIT_H

#include "base/err.h"

#include <stdbool.h>

enum unit_kind {
    UNIT_COUNT,
    UNIT_RATIO,
    UNIT_PERCENT,
    UNIT_SECONDS,
    UNIT_BYTES,
    UNIT_HERTZ,
    UNIT_JOULES,
};

struct unit {
    enum unit_kind kind;
    char text[8]; /* "", "%", "s", "us", "B/s", "GHz", "1/s" ... */
    int time;     /* power of seconds: 1 for s, -1 for Hz and everything per second */
    bool prefixed;
};

/* "", count, ratio, percent or %, seconds or s, bytes or B, Hz, J; W is J/s. The short ones can
 * have a prefix: n u m k M G T. `/s` can follow; `1/s` and `M/s` are counts per second. -1 with a
 * message. */
int unit_parse(struct unit *unit, const char *text, struct err *err);

#endif
