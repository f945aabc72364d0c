#include "engine/active_plan.h"
#include "base/mem.h"

#include <stdlib.h>

void active_plan_free(struct active_plan *counting)
{
    if (!counting)
        return;
    free(counting->layout.groups);
    free(counting->layout.idle);
    free(counting->read);
    group_plan_release(&counting->plan);
    free(counting);
}

void active_plan_complete(struct active_plan *counting, bool members_only)
{
    const struct group_plan *plan = &counting->plan;
    struct ledger_layout *layout = &counting->layout;
    size_t most = 0;
    layout->events = plan->set;
    layout->members_only = members_only;
    layout->shared = plan->count - plan->sampled;
    layout->idle = mem_array(plan->list.count, sizeof(*layout->idle));
    layout->groups = mem_array(plan->count, sizeof(*layout->groups));
    for (size_t e = 0; e < plan->list.count; e++)
        layout->idle[e] = plan->list.events[e].idle;
    for (size_t g = 0; g < plan->count; g++) {
        const struct group_shape *shape = &plan->shapes[g];
        layout->groups[g] = (struct ledger_group){shape->values, shape->event_of, shape->switches};
        most = shape->values > most ? shape->values : most;
    }
    counting->read = group_read_new(most);
}

void active_plan_read_shared(struct active_plan *counting, struct ledger *ledger,
                             const struct cpu_events *cpu_events)
{
    for (size_t g = counting->plan.sampled; cpu_events->plan && g < counting->plan.count; g++)
        if (cpu_events_read(cpu_events, g, counting->read))
            ledger_close_group(ledger, cpu_events->number, g, counting->read);
}
