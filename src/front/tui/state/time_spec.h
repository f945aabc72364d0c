/* Reads and writes the time of an interval, in local time. */
#ifndef FRONT_TUI_STATE_TIME_SPEC_H
#define FRONT_TUI_STATE_TIME_SPEC_H

#include "front/host.h"
#include "view/format.h"

struct time_spec {
    uint64_t number; /* of an interval, from 1; 0: use the time */
    double time;     /* seconds since 1970 */
};

/* Accepts "14:03" or "14:03:07": the time nearest to the interval shown; "2026-11-20 14:03": on
 * that day; "-5m", "+1m30s", "-90", also "90" and "5m" for before: relative to the interval shown
 * (s, m, h, d); "#120": the 120th interval. -1 with a message for other text, and for a time
 * without a kept interval. */
int time_spec_read(const char *text, const struct front_moment *moment, struct time_spec *when,
                   struct err *err);

enum { TIME_SPEC_SIZE = 48 };

/* "14:03:07", after the date if that differs from the date of `today`. */
void time_spec_write(char text[TIME_SPEC_SIZE], double time, double today);

/* How long ago: "12 s", "0.5 s", "12m34s". */
void time_spec_ago(char text[FORMAT_SIZE], double seconds);

#endif
