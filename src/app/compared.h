/* What comparisons of commands and of recordings share: the values that a row of a frame has for
 * them, which are the count of each event that is counted, and each metric that is no rate, for
 * those say the same as their events; and how they are written. */
#ifndef APP_COMPARED_H
#define APP_COMPARED_H

#include "cli/options.h"
#include "front/out.h"
#include "metric/metric_set.h"
#include "model/comparison.h"

/* The metrics of a set, bound to the events of the last frame. */
struct compared_rows {
    const struct metric_set *metrics;
    struct event_set *set;    /* NULL before the first frame */
    struct binding *bindings; /* one for each metric */
    bool *shown;              /* ... that has a value for these events and is no rate */
};

void compared_rows_release(struct compared_rows *rows);

/* Sets the row's values for the side's next run or interval. Runs have whole counts, intervals
 * counts a second. The coverage of runs tells also of counts that belong to no task. */
void compared_rows_set(struct compared_rows *rows, struct comparison *comparison, size_t subject,
                       size_t side, const struct frame *frame, const struct row *row);

/* Ends the comparison and writes it in the format of the options. The input is completed from
 * them. 0, or the exit code with a message. */
int compared_write(struct comparison *comparison, struct compare_input input,
                   const struct options *options, struct out *out, struct err *err);

#endif
