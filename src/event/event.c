#include "event/event.h"
#include "base/mem.h"
#include "base/str.h"
#include "event/pmu.h"
#include "system/topology.h"

#include <stdlib.h>

/* Missing in older headers. */
enum { SW_BPF_OUTPUT = 10 };

void event_release(struct event *event)
{
    free(event->name);
    free(event->pmu);
    free(event->unit);
    free(event->reason);
    *event = (struct event){0};
}

static bool is_clock(const struct perf_event_attr *attr)
{
    return attr->type == PERF_TYPE_SOFTWARE &&
           (attr->config == PERF_COUNT_SW_CPU_CLOCK || attr->config == PERF_COUNT_SW_TASK_CLOCK);
}

static enum idle_share idle_share_of(const struct event *event)
{
    const struct perf_event_attr *attr = &event->attr;
    /* An idle task makes no system calls. */
    bool call = str_starts(event->name, "syscalls:") || str_starts(event->name, "raw_syscalls:");
    if (attr->type == PERF_TYPE_TRACEPOINT && call)
        return IDLE_NONE;
    if (attr->type != PERF_TYPE_SOFTWARE)
        return IDLE_UNKNOWN;
    if (is_clock(attr))
        return IDLE_TIME;
    switch (attr->config) {
    case PERF_COUNT_SW_CONTEXT_SWITCHES:
        return IDLE_SWITCHES;
    case PERF_COUNT_SW_PAGE_FAULTS:
    case PERF_COUNT_SW_PAGE_FAULTS_MIN:
    case PERF_COUNT_SW_PAGE_FAULTS_MAJ:
    case PERF_COUNT_SW_CPU_MIGRATIONS:
    case PERF_COUNT_SW_ALIGNMENT_FAULTS:
    case PERF_COUNT_SW_EMULATION_FAULTS:
    case PERF_COUNT_SW_DUMMY:
    case SW_BPF_OUTPUT:
        return IDLE_NONE;
    default:
        return IDLE_UNKNOWN;
    }
}

/* The name of the PMU that counts the event; NULL when not known. */
static char *pmu_of(const struct perf_event_attr *attr)
{
    char name[256];
    switch (attr->type) {
    case PERF_TYPE_SOFTWARE:
        return mem_strdup("software");
    case PERF_TYPE_TRACEPOINT:
        return mem_strdup("tracepoint");
    case PERF_TYPE_BREAKPOINT:
        return mem_strdup("breakpoint");
    case PERF_TYPE_HARDWARE:
    case PERF_TYPE_HW_CACHE:
    case PERF_TYPE_RAW:
        return pmu_core(name, sizeof(name)) ? mem_strdup(name) : NULL;
    default:
        return pmu_name(attr->type, name, sizeof(name)) ? mem_strdup(name) : NULL;
    }
}

static bool is_hardware(const struct event *event)
{
    switch (event->attr.type) {
    case PERF_TYPE_HARDWARE:
    case PERF_TYPE_HW_CACHE:
    case PERF_TYPE_RAW:
        return true;
    case PERF_TYPE_SOFTWARE:
    case PERF_TYPE_TRACEPOINT:
    case PERF_TYPE_BREAKPOINT:
        return false;
    default:
        return event->pmu && topology_is_core_pmu(event->pmu);
    }
}

void event_settle(struct event *event)
{
    if (event->state == EVENT_COUNTED) {
        if (!event->pmu)
            event->pmu = pmu_of(&event->attr);
        event->hardware = is_hardware(event);
    }
    event->idle = idle_share_of(event);
    event->unit = mem_strdup(is_clock(&event->attr) ? "ns" : "");
}

bool event_of_scheduler(const struct perf_event_attr *attr)
{
    return attr->type == PERF_TYPE_SOFTWARE && (attr->config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
                                                attr->config == PERF_COUNT_SW_CPU_MIGRATIONS ||
                                                attr->config == PERF_COUNT_SW_CGROUP_SWITCHES);
}

void event_list_init(struct event_list *list)
{
    *list = (struct event_list){0};
}

void event_list_release(struct event_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        event_release(&list->events[i]);
    free(list->events);
    event_list_init(list);
}

void event_list_copy(struct event_list *to, const struct event_list *from)
{
    event_list_init(to);
    mem_grow(&to->events, &to->room, from->count, sizeof(*to->events));
    for (size_t i = 0; i < from->count; i++) {
        struct event *event = &to->events[i];
        *event = from->events[i];
        event->name = mem_strdup(event->name);
        event->pmu = mem_strdup(event->pmu);
        event->unit = mem_strdup(event->unit);
        event->reason = mem_strdup(event->reason);
    }
    to->count = from->count;
    to->groups = from->groups;
}

const struct event *event_list_find(const struct event_list *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++)
        if (str_equal(list->events[i].name, name))
            return &list->events[i];
    return NULL;
}
