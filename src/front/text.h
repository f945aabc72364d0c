/* Batch output for people: each refresh a summary line, column titles and all rows. */
#ifndef FRONT_TEXT_H
#define FRONT_TEXT_H

#include "front/front.h"
#include "front/out.h"

struct text_options {
    bool run;                /* the one refresh is the whole run of a command */
    unsigned long long rows; /* at most so many a refresh, 0: all */
    /* In front of each row: seconds since 1970, and date and time (ISO 8601). */
    bool epoch, timestamp;
};

/* Takes over `out`. */
struct front *text_new(struct view *view, struct out out, const struct text_options *options);

#endif
