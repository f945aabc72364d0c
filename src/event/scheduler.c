#include "event/scheduler.h"

#include <string.h>

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
    for (int e = SCHEDULER_NONE + 1; e < SCHEDULER_EVENTS; e++)
        if (strcmp(scheduler_events[e].name, name) == 0)
            return (enum scheduler_event)e;
    return SCHEDULER_NONE;
}

bool scheduler_of_tasks(enum scheduler_event event)
{
    return event == SCHEDULER_BLOCK || event == SCHEDULER_LATENCY_MAX;
}

bool scheduler_is_peak(enum scheduler_event event)
{
    return event == SCHEDULER_LATENCY_MAX;
}

bool scheduler_is_sleep(enum scheduler_event event)
{
    return event == SCHEDULER_BLOCK;
}
