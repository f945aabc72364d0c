#include "front/measure.h"
#include "base/mem.h"

#include <stdlib.h>

void measure_init(struct measure *measure, const struct catalog *catalog)
{
    *measure = (struct measure){.catalog = catalog};
}

void measure_release(struct measure *measure)
{
    event_set_drop(measure->events);
    free(measure->bindings);
    free(measure->applies);
    measure_init(measure, measure->catalog);
}

bool measure_use(struct measure *measure, struct event_set *events)
{
    /* The reference held keeps the address from being used again for another set. */
    if (measure->events == events)
        return false;
    const struct catalog *catalog = measure->catalog;
    measure_release(measure);
    measure->events = event_set_share(events);
    measure->bindings = mem_array(catalog->count, sizeof(*measure->bindings));
    measure->applies = mem_array(catalog->count, sizeof(*measure->applies));
    for (size_t m = 0; m < catalog->count; m++) {
        eval_bind(&measure->bindings[m], catalog->metrics[m].expr, events);
        measure->applies[m] = metric_applies(&catalog->metrics[m], events);
    }
    return true;
}

const struct metric *measure_metric(const struct measure *measure, size_t i)
{
    bool applies = i < measure->catalog->count && measure->applies[i];
    return applies ? &measure->catalog->metrics[i] : NULL;
}

struct value measure_value(const struct measure *measure, size_t i, const struct frame *frame,
                           const struct row *row)
{
    return eval_bound(measure->catalog->metrics[i].expr, &measure->bindings[i], frame, row);
}
