#include "front/measure.h"
#include "base/mem.h"

#include <stdlib.h>

void measure_init(struct measure *measure, const struct metric_set *metric_set)
{
    *measure = (struct measure){.metric_set = metric_set};
}

void measure_release(struct measure *measure)
{
    event_set_drop(measure->events);
    free(measure->bindings);
    free(measure->applies);
    measure_init(measure, measure->metric_set);
}

bool measure_use(struct measure *measure, struct event_set *events)
{
    /* The reference held keeps the address from being used again for another set. */
    if (measure->events == events)
        return false;
    const struct metric_set *metric_set = measure->metric_set;
    measure_release(measure);
    measure->events = event_set_share(events);
    measure->bindings = mem_array(metric_set->count, sizeof(*measure->bindings));
    measure->applies = mem_array(metric_set->count, sizeof(*measure->applies));
    for (size_t m = 0; m < metric_set->count; m++) {
        eval_bind(&measure->bindings[m], metric_set->metrics[m].expr, events);
        measure->applies[m] = metric_applies(&metric_set->metrics[m], events);
    }
    return true;
}

const struct metric *measure_metric(const struct measure *measure, size_t i)
{
    bool applies = i < measure->metric_set->count && measure->applies[i];
    return applies ? &measure->metric_set->metrics[i] : NULL;
}

struct value measure_value(const struct measure *measure, size_t i, const struct frame *frame,
                           const struct row *row)
{
    return eval_bound(measure->metric_set->metrics[i].expr, &measure->bindings[i], frame, row);
}
