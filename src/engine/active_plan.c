#include "engine/active_plan.h"
#include "base/mem.h"

#include <stdlib.h>

void active_plan_free(struct active_plan *active)
{
    if (!active)
        return;
    free(active->layout.groups);
    free(active->layout.idle);
    free(active->read);
    group_plan_release(&active->plan);
    free(active);
}

void active_plan_complete(struct active_plan *active, bool members_only)
{
    const struct group_plan *plan = &active->plan;
    struct ledger_layout *layout = &active->layout;
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
    active->read = group_read_new(most);
}

void active_plan_read_shared(struct active_plan *active, struct ledger *ledger,
                             const struct cpu_events *cpu_events)
{
    for (size_t g = active->plan.sampled; cpu_events->plan && g < active->plan.count; g++)
        if (cpu_events_read(cpu_events, g, active->read))
            ledger_close_group(ledger, cpu_events->number, g, active->read);
}
