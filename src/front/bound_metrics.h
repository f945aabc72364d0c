/* The metrics that can be computed from what is counted, for a front end that tells all of them. */
#ifndef FRONT_BOUND_METRICS_H
#define FRONT_BOUND_METRICS_H

#include "view/view.h"

struct bound_metrics {
    const struct metric_set *metric_set;
    struct event_set *events; /* bound to these; NULL: none yet */
    struct binding *bindings; /* one for each metric of the catalog, */
    bool *applies;            /* and whether the set has all its events */
};

void bound_metrics_init(struct bound_metrics *metrics,
                        const struct metric_set *metric_set); /* it outlives this */
void bound_metrics_release(struct bound_metrics *metrics);

/* What is counted from now on; true where that is another set than before. */
bool bound_metrics_use(struct bound_metrics *metrics, struct event_set *events);

/* The i-th metric of the catalog when all its events are in the set, whatever their state; NULL
 * when they are not, and behind the last one. */
const struct metric *bound_metrics_metric(const struct bound_metrics *metrics, size_t i);

/* Its value for a row of a frame with that set. */
struct value bound_metrics_value(const struct bound_metrics *metrics, size_t i,
                                 const struct frame *frame, const struct row *row);

#endif
