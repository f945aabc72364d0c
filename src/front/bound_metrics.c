#include "front/bound_metrics.h"
#include "base/mem.h"

#include <stdlib.h>

void bound_metrics_init(struct bound_metrics *metrics, const struct metric_set *metric_set)
{
    *metrics = (struct bound_metrics){.metric_set = metric_set};
}

void bound_metrics_release(struct bound_metrics *metrics)
{
    event_set_drop(metrics->events);
    free(metrics->bindings);
    free(metrics->applies);
    bound_metrics_init(metrics, metrics->metric_set);
}

bool bound_metrics_use(struct bound_metrics *metrics, struct event_set *events)
{
    /* The reference held keeps the address from being used again for another set. */
    if (metrics->events == events)
        return false;
    const struct metric_set *metric_set = metrics->metric_set;
    bound_metrics_release(metrics);
    metrics->events = event_set_share(events);
    metrics->bindings = mem_array(metric_set->count, sizeof(*metrics->bindings));
    metrics->applies = mem_array(metric_set->count, sizeof(*metrics->applies));
    for (size_t m = 0; m < metric_set->count; m++) {
        eval_bind(&metrics->bindings[m], metric_set->metrics[m].expr, events);
        metrics->applies[m] = metric_applies(&metric_set->metrics[m], events);
    }
    return true;
}

const struct metric *bound_metrics_metric(const struct bound_metrics *metrics, size_t i)
{
    bool applies = i < metrics->metric_set->count && metrics->applies[i];
    return applies ? &metrics->metric_set->metrics[i] : NULL;
}

struct value bound_metrics_value(const struct bound_metrics *metrics, size_t i,
                                 const struct frame *frame, const struct row *row)
{
    return eval_bound(metrics->metric_set->metrics[i].expr, &metrics->bindings[i], frame, row);
}
