/* The metrics that can be computed from what is counted, for a front end that tells all of them. */
#ifndef FRONT_MEASURE_H
#define FRONT_MEASURE_H

#include "view/view.h"

struct measure {
    const struct metric_set *metric_set;
    struct event_set *events; /* bound to these; NULL: none yet */
    struct binding *bindings; /* one for each metric of the catalog, */
    bool *applies;            /* and whether the set has all its events */
};

void measure_init(struct measure *measure,
                  const struct metric_set *metric_set); /* it outlives this */
void measure_release(struct measure *measure);

/* What is counted from now on; true where that is another set than before. */
bool measure_use(struct measure *measure, struct event_set *events);

/* The i-th metric of the catalog when all its events are in the set, whatever their state; NULL
 * when they are not, and behind the last one. */
const struct metric *measure_metric(const struct measure *measure, size_t i);

/* Its value for a row of a frame with that set. */
struct value measure_value(const struct measure *measure, size_t i, const struct frame *frame,
                           const struct row *row);

#endif
