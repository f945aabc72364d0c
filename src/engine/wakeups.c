#include "engine/wakeups.h"
#include "base/mem.h"
#include "base/str.h"
#include "engine/decode.h"
#include "engine/sys.h"
#include "event/explain.h"
#include "event/tracepoint.h"
#include "system/procfs.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static const char WAKING[] = "sched:sched_waking";

static const char NO_DELAYS[] =
    "this kernel keeps no waiting times (it is built without CONFIG_SCHED_INFO)";

bool wakeups_wanted(const struct event_list *list)
{
    for (size_t e = 0; e < list->count; e++)
        if (event_kept(&list->events[e]) && list->events[e].state == EVENT_COUNTED)
            return true;
    return false;
}

static uint64_t wakeups_refuse(struct event *why, enum event_state state, const char *reason)
{
    why->state = state;
    why->reason = mem_strdup(reason);
    return 0;
}

uint64_t wakeups_tracepoint(int cpu, const struct caps *caps, struct event *why)
{
    uint64_t id;
    size_t offset = 0, size = 0;
    struct err err;
    *why = (struct event){.text = (char *)WAKING};
    enum tracepoint found = tracepoint_find(WAKING, &id, &err);
    if (found != TRACEPOINT_FOUND)
        return wakeups_refuse(why, found == TRACEPOINT_HIDDEN ? EVENT_DENIED : EVENT_UNSUPPORTED,
                              err.text);
    if (!tracepoint_field(WAKING, "pid", &offset, &size) || offset != DECODE_WAKE_PID ||
        size != sizeof(int))
        return wakeups_refuse(why, EVENT_UNSUPPORTED,
                              "this kernel's records of wake-ups have an unknown form");
    if (caps->contained)
        return wakeups_refuse(why, EVENT_UNSUPPORTED, caps_contained);
    why->attr = (struct perf_event_attr){
        .type = PERF_TYPE_TRACEPOINT,
        .config = id,
        .sample_type = DECODE_WAKE_FIELDS,
        .sample_period = 1,
        .disabled = 1,
    };
    int fd = sys_open(&why->attr, false, -1, cpu, -1);
    if (fd < 0) {
        explain_refusal(why, errno, true, caps);
        return 0;
    }
    close(fd);
    return id;
}

static void wakeups_exclude(struct event *event, enum event_state state, const char *reason)
{
    if (event->state != EVENT_COUNTED)
        return;
    event->state = state;
    event->reason = mem_strdup(reason);
}

void wakeups_judge_records(struct event_list *list, uint64_t tracepoint, const struct event *why)
{
    bool delays = tracepoint || procfs_keeps_delay();
    for (size_t e = 0; e < list->count; e++) {
        struct event *event = &list->events[e];
        enum scheduler_event kept = event_kept(event);
        bool counts = kept == SCHEDULER_PREEMPTED || kept == SCHEDULER_YIELDED;
        if (kept == SCHEDULER_LATENCY_MAX && !tracepoint)
            wakeups_exclude(event, why->state, why->reason);
        else if (kept && !counts && !delays)
            wakeups_exclude(event, EVENT_UNSUPPORTED, NO_DELAYS);
    }
}

void wakeups_judge_proc(struct event_list *list)
{
    bool delays = procfs_keeps_delay();
    for (size_t e = 0; e < list->count; e++) {
        struct event *event = &list->events[e];
        enum scheduler_event kept = event_kept(event);
        if (kept == SCHEDULER_LATENCY || kept == SCHEDULER_LATENCY_MAX || kept == SCHEDULER_WAKEUPS)
            wakeups_exclude(event, EVENT_DENIED,
                            "/proc does not tell waiting after a wake-up from other waiting: count "
                            "all CPUs (--engine cpu)");
        else if ((kept == SCHEDULER_WAIT || kept == SCHEDULER_BLOCK) && !delays)
            wakeups_exclude(event, EVENT_UNSUPPORTED, NO_DELAYS);
    }
}
