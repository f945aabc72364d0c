#include "event/explain.h"
#include "base/mem.h"
#include "event/pmu.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What each errno means: perf_event_open(2), "ERRORS", and where that is vague, the places in the
 * kernel named below. */

struct cause {
    enum event_state state;
    char *reason; /* becomes the event's */
};

static struct cause cause(enum event_state state, const char *reason)
{
    return (struct cause){state, mem_strdup(reason)};
}

static bool has_exclusions(const struct perf_event_attr *attr)
{
    return attr->exclude_user || attr->exclude_kernel || attr->exclude_hv || attr->exclude_idle ||
           attr->exclude_host || attr->exclude_guest;
}

/* A PMU outside the cores, with a type number of its own. */
static bool is_uncore(const struct event *event)
{
    return !event->hardware && event->attr.type >= PERF_TYPE_MAX;
}

static struct cause no_such_event(const struct event *event, const struct caps *caps)
{
    char pmu[256];
    switch (event->attr.type) {
    case PERF_TYPE_TRACEPOINT:
        return cause(EVENT_UNSUPPORTED, "this kernel has no such tracepoint");
    case PERF_TYPE_SOFTWARE:
        return cause(EVENT_UNSUPPORTED, "this kernel is too old to have this event");
    default:
        break;
    }
    if (!event->hardware)
        return cause(EVENT_UNSUPPORTED, "the PMU that counts it is not on this machine");
    if (pmu_core(pmu, sizeof(pmu)))
        return (struct cause){EVENT_UNSUPPORTED,
                              mem_printf("this processor's PMU '%s' has no such event", pmu)};
    return cause(EVENT_UNSUPPORTED,
                 caps->hypervisor
                     ? "no hardware counters (virtual machine without a PMU); software events "
                       "still work"
                     : "no hardware counters (this kernel has no driver for the processor's "
                       "PMU); software events still work");
}

/* The highest perf_event_paranoid at which the kernel allows this without a capability:
 * perf_event_open(2), "/proc/sys/kernel/perf_event_paranoid". */
static int highest_paranoid(const struct event *event, bool system_wide)
{
    if (system_wide)
        return 0;
    return event->attr.exclude_kernel ? 2 : 1;
}

static struct cause denied(const struct event *event, bool system_wide, const struct caps *caps)
{
    /* The kernel asks for permission first; with it there would still be nothing to count. */
    if (event->hardware && !caps->core_pmu)
        return no_such_event(event, caps);
    int enough = highest_paranoid(event, system_wide);
    if (!caps->perfmon && caps->paranoid > enough) {
        /* 3 and more, where nothing at all is allowed, are a patch of Debian and Android. */
        const char *what = system_wide  ? "counting all tasks of a CPU"
                           : enough < 2 ? "counting in kernel mode"
                                        : "counting";
        char value[48] = "perf_event_paranoid is not readable";
        if (caps->paranoid != CAPS_PARANOID_UNKNOWN)
            snprintf(value, sizeof(value), "perf_event_paranoid is %d", caps->paranoid);
        return (struct cause){
            EVENT_DENIED,
            mem_printf("%s is not permitted (%s): as root, run 'sysctl "
                       "kernel.perf_event_paranoid=%d' or 'setcap cap_perfmon+ep' on countertop%s",
                       what, value, enough,
                       !system_wide && enough < 2 ? ", or use '--mode user'" : "")};
    }
    if (!system_wide && !caps->perfmon && !caps->ptrace)
        /* ptrace_may_access() of the task decides: kernel/events/core.c, perf_event_open. */
        return cause(EVENT_DENIED,
                     "not permitted: the task is another user's or has privileges of its own (as "
                     "root, run 'setcap cap_perfmon+ep' on countertop), or a container's seccomp "
                     "filter forbids it");
    return cause(EVENT_DENIED,
                 "the kernel refuses although the permissions would do: probably a container's "
                 "seccomp filter or user namespace (allow perf_event_open and give the container "
                 "CAP_PERFMON)");
}

static struct cause invalid(const struct event *event, bool system_wide)
{
    char pmu[256];
    /* arch/x86/events/core.c, x86_pmu_hw_config(): no PEBS for what is not sampled. */
    if (event->attr.precise_ip)
        return cause(EVENT_INVALID,
                     "precise events are for sampling, not for counting: leave the modifier p out");
    /* kernel/events/core.c, perf_try_init_event(): PERF_PMU_CAP_NO_EXCLUDE. */
    if (is_uncore(event) && has_exclusions(&event->attr))
        return cause(EVENT_INVALID, "its PMU cannot tell modes apart: count it without modifiers "
                                    "and in mode 'all'");
    if (is_uncore(event) && !system_wide)
        return cause(EVENT_INVALID,
                     "its PMU counts for whole CPUs, not for single tasks: use the engine 'cpu'");
    /* An event that makes no sense for a cache is EINVAL, one that is not there ENOENT: set_ext_
     * hw_attr() in arch/x86/events/core.c. For the user it is the same. */
    if (event->attr.type == PERF_TYPE_HW_CACHE && pmu_core(pmu, sizeof(pmu)))
        return (struct cause){EVENT_UNSUPPORTED,
                              mem_printf("this processor's PMU '%s' has no such event", pmu)};
    return cause(EVENT_INVALID, "the kernel refuses these settings of the event (EINVAL)");
}

static struct cause not_supported(const struct event *event)
{
    if (event->attr.precise_ip)
        return cause(EVENT_UNSUPPORTED,
                     "this processor has no precise events: leave the modifier p out");
    if (has_exclusions(&event->attr))
        return cause(EVENT_UNSUPPORTED, "its PMU cannot count in these modes only: count it "
                                        "without modifiers and in mode 'all'");
    return cause(EVENT_UNSUPPORTED, "the processor lacks what this event needs");
}

static struct cause find_cause(const struct event *event, int error, bool system_wide,
                               const struct caps *caps)
{
    switch (error) {
    case ENOENT:
        return no_such_event(event, caps);
    case EACCES:
    case EPERM:
        return denied(event, system_wide, caps);
    case EMFILE:
        return (struct cause){
            EVENT_NO_DESCRIPTOR,
            mem_printf("all %zu file descriptors of this process are in use: raise the limit with "
                       "'ulimit -n' before the start, or count fewer events or tasks",
                       caps->descriptors)};
    case ENFILE:
        return cause(EVENT_NO_DESCRIPTOR, "all file descriptors of the system are in use: raise "
                                          "fs.file-max with sysctl");
    case EINVAL:
        return invalid(event, system_wide);
    case EOPNOTSUPP:
        return not_supported(event);
    case ENOSYS:
        return cause(EVENT_UNSUPPORTED, "this kernel has no perf_event_open (built without "
                                        "CONFIG_PERF_EVENTS, or a container's sandbox hides it)");
    case EBUSY:
        return cause(EVENT_NO_COUNTER, "another event has the PMU for itself: end other profilers");
    case ENOSPC:
        return cause(EVENT_NO_COUNTER, "no counter is free for it: end other profilers or count "
                                       "fewer events");
    case ENODEV:
        return cause(EVENT_UNSUPPORTED, "the processor lacks what this event needs, or its PMU is "
                                        "not on this CPU");
    case E2BIG:
        return cause(EVENT_INVALID, "this kernel is too old for the settings of the event");
    case EOVERFLOW:
        return cause(EVENT_INVALID, "its records would be larger than the kernel allows");
    case ESRCH:
        return cause(EVENT_INVALID, "the task has ended");
    default:
        return (struct cause){EVENT_INVALID,
                              mem_printf("perf_event_open failed: %s", strerror(error))};
    }
}

void explain_refusal(struct event *event, int error, bool system_wide, const struct caps *caps)
{
    struct cause found = find_cause(event, error, system_wide, caps);
    free(event->reason);
    event->state = found.state;
    event->reason = found.reason;
}
