/* What a metric's numbers are: counts, ratios, shares in percent, seconds, bytes, Hz, joules, each
 * with an SI prefix and per second where that is said. Events are counts without a dimension, so
 * the one dimension that can be told of an expression is time: it is what a unit is checked for. */
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
    int time;     /* power of seconds: 1 for s, -1 for Hz and whatever is per second */
    bool prefixed;
};

/* "", count, ratio, percent or %, seconds or s, bytes or B, Hz, J; W is J/s. The short ones take a
 * prefix: n u m k M G T. Each takes `/s` behind it; `1/s` and `M/s` are counts per second. -1 with
 * a message. */
int unit_parse(struct unit *unit, const char *text, struct err *err);

#endif
