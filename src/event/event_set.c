#include "event/event_set.h"

static const struct scheduler_info scheduler_events[SCHEDULER_EVENTS] = {
    [SCHEDULER_WAIT] = {"wait-time", "ns", "time in which a thread could run and had no CPU"},
    [SCHEDULER_PREEMPTED] = {"preemptions", "",
                             "times that a thread had to leave a CPU and could have gone on"},
    [SCHEDULER_YIELDED] = {"voluntary-switches", "",
                           "times that a thread left a CPU to wait for something"},
    [SCHEDULER_WAKEUPS] = {"wakeups", "", "times that a thread got a CPU after a wake-up"},
    [SCHEDULER_LATENCY] = {"wakeup-latency", "ns", "time from these wake-ups to the CPU"},
    [SCHEDULER_LATENCY_MAX] = {"wakeup-latency-max", "ns", "the longest of these times"},
    [SCHEDULER_BLOCK] = {"block-time", "ns",
                         "time in which a thread slept or waited for something"},
};

const struct scheduler_info *scheduler_info(enum scheduler_event event)
{
    return &scheduler_events[event];
}

enum scheduler_event scheduler_find(const char *name)
{
    const struct scheduler_info *found =
        STR_FIND(&scheduler_events[1], SCHEDULER_EVENTS - 1, name, name);
    return found ? (enum scheduler_event)(found - scheduler_events) : SCHEDULER_NONE;
}

const char *event_state_name(enum event_state state)
{
    static const char *const names[] = {
        [EVENT_COUNTED] = "counted",
        [EVENT_UNSUPPORTED] = "unsupported",
        [EVENT_DENIED] = "denied",
        [EVENT_NO_COUNTER] = "no_counter",
        [EVENT_NO_DESCRIPTOR] = "no_descriptor",
        [EVENT_INVALID] = "invalid",
    };
    return names[state];
}

struct event_set *event_set_new(size_t count)
{
    struct event_set *set = mem_alloc(sizeof(*set));
    set->references = 1;
    set->count = count;
    set->events = mem_array(count, sizeof(*set->events));
    for (size_t i = 0; i < count; i++)
        set->events[i].scale = 1;
    return set;
}

void event_set_drop(struct event_set *set)
{
    if (!mem_drop(set))
        return;
    for (size_t i = 0; i < set->count; i++) {
        free(set->events[i].name);
        free(set->events[i].pmu);
        free(set->events[i].unit);
        free(set->events[i].encoding);
        free(set->events[i].reason);
    }
    free(set->events);
    free(set->note);
    free(set);
}

void event_set_keep(struct event_set **kept, struct event_set *set)
{
    struct event_set *old = *kept;
    *kept = mem_share(set);
    event_set_drop(old);
}

int event_set_find(const struct event_set *set, const char *name)
{
    const struct event_info *found = STR_FIND(set->events, set->count, name, name);
    return found ? (int)(found - set->events) : -1;
}

size_t event_set_turns(const struct event_set *set, size_t *events)
{
    AUTO_FREE bool *seen = mem_array(set->groups, sizeof(*seen));
    size_t turns = 0;
    *events = 0;
    for (size_t e = 0; e < set->count; e++) {
        const struct event_info *event = &set->events[e];
        if (!event->hardware || event->shared || event->group < 0)
            continue;
        turns += !seen[event->group];
        seen[event->group] = true;
        ++*events;
    }
    return turns;
}

bool event_set_waits(const struct event_set *set)
{
    for (size_t e = 0; e < set->count; e++)
        if (set->events[e].kept && set->events[e].group >= 0)
            return true;
    return false;
}
