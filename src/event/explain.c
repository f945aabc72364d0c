#include "event/event.h"
#include "base/embed.h"
#include "system/caps.h"
#include "system/privilege.h"
#include "system/topology.h"

void event_refuse(struct event *event, const char *key, ...)
{
    AUTO_FREE char *start = mem_printf("\n%s ", key);
    const char *line = strstr(embedded_text("refusals.txt"), start) + strlen(start);
    const char *text = line + strcspn(line, " ") + 1, *end = strchr(text, '\n'), *place;
    struct str reason = str_new();
    va_list args;
    va_start(args, key);
    for (; (place = strstr(text, "{}")) && place < end; text = place + 2) {
        str_add_n(&reason, text, (size_t)(place - text));
        str_add(&reason, va_arg(args, const char *));
    }
    va_end(args);
    str_add_n(&reason, text, (size_t)(end - text));
    event->state = EVENT_UNSUPPORTED;
    while (!str_starts(line, event_state_name(event->state)))
        event->state++;
    free(event->reason);
    event->reason = str_detach(&reason);
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

static bool is_breakpoint(const struct event *event)
{
    return event->attr.type == PERF_TYPE_BREAKPOINT;
}

/* The upper half of the addresses is the kernel's. */
static bool is_kernel_breakpoint(const struct event *event)
{
    uint64_t address = event->attr.bp_addr; /* of 32 or of 64 bits */
    return is_breakpoint(event) && ((int64_t)address < 0 || (long)address < 0);
}

static void no_such_event(struct event *event, const struct caps *caps)
{
    char pmu[256];
    if (event->hardware && topology_core_pmu(pmu, sizeof(pmu)))
        event_refuse(event, "no-event", pmu);
    else
        event_refuse(event, event->attr.type == PERF_TYPE_TRACEPOINT ? "no-tracepoint"
                            : event->attr.type == PERF_TYPE_SOFTWARE ? "old-kernel"
                            : !event->hardware                       ? "no-pmu"
                            : caps->hypervisor                       ? "no-counters-virtual"
                                                                     : "no-counters");
}

/* ---- permission ---- */

/* How to get the capability: from the program's file, unless file capabilities have no effect or
 * cannot be set here. The caller frees it. */
static char *capability_way(const char *capability, const struct caps *caps)
{
    if (caps->namespaced)
        return mem_printf("start countertop with %s outside of the user namespace", capability);
    if (caps->no_setcap)
        return mem_printf("run '%s'", caps->program);
    return mem_printf("run 'setcap %s+ep %s'%s", capability, caps->program,
                      caps->no_new_privs ? " and start it without no_new_privs" : "");
}

static const char *perfmon(const struct caps *caps)
{
    return caps->old_kernel ? "cap_sys_admin" : "cap_perfmon";
}

char *explain_permission(const char *what, int enough, const struct caps *caps)
{
    char obstacle[128];
    AUTO_FREE char *way = capability_way(perfmon(caps), caps);
    bool other = caps->namespaced || caps->no_new_privs;
    caps_obstacle(caps, obstacle, sizeof(obstacle));
    return mem_printf("%s (%s): as root, run 'sysctl kernel.perf_event_paranoid=%d' or %s", what,
                      obstacle, enough, way + (other ? 0 : strlen("run ")));
}

char *explain_capability(const struct caps *caps)
{
    AUTO_FREE char *way = capability_way(perfmon(caps), caps);
    return mem_printf("as root, %s", way);
}

/* "Not permitted" where only a capability helps, whatever perf_event_paranoid is. */
static void needs_capability(struct event *event, const char *what, const char *capability,
                             const struct caps *caps)
{
    AUTO_FREE char *way = capability_way(capability, caps);
    event_refuse(event, "capability", what, capability,
                 caps->namespaced ? ", and capabilities of a user namespace do not count" : "",
                 way);
}

static void other_denial(struct event *event, const struct caps *caps)
{
    char modules[160];
    bool known = file_line("/sys/kernel/security/lsm", modules, sizeof(modules)) == 0;
    event_refuse(event, "security-module", caps->seccomp ? "a seccomp filter or " : "",
                 known ? " (one of " : "", known ? modules : "", known ? ")" : "");
}

/* perf_event_open(2) is refused for every event. */
static void all_denied(struct event *event, int error, const struct caps *caps)
{
    /* Debian's patch refuses everything from 3 on, Ubuntu's from 4 on. */
    if (error == EACCES && caps->paranoid > 2 && !caps->perfmon) {
        AUTO_FREE char *why = explain_permission("counting is not permitted", 2, caps);
        event_refuse(event, "permission", why);
    } else if (!caps->barred) {
        other_denial(event, caps);
    } else if (caps->seccomp) {
        /* Docker's profile allows it with CAP_PERFMON since 23.0
         * (github.com/moby/moby/pull/43987), Podman's since October 2025
         * (github.com/containers/container-libs/pull/424). */
        event_refuse(event, caps->perfmon ? "seccomp-old" : "seccomp");
    } else if (error == ENOSYS) {
        event_refuse(event, "no-perf");
    } else {
        event_refuse(event, "sandbox", err_reason(error));
    }
}

static void denied(struct event *event, bool system_wide, const struct caps *caps)
{
    /* The highest perf_event_paranoid at which the kernel allows this without a capability:
     * perf_event_open(2), "/proc/sys/kernel/perf_event_paranoid". */
    int enough = system_wide ? 0 : event->attr.exclude_kernel ? 2 : 1;
    bool of_kernel = event_of_kernel(event), probe = event_is_probe(event);
    char line[128];
    if (caps->refused) {
        all_denied(event, caps->refused, caps);
    } else if (event->hardware && !caps->core_pmu) {
        /* The kernel checks permission first, but permission would not help without a PMU. */
        no_such_event(event, caps);
    } else if (str_equal(event->pmu, "uprobe") && (!caps->admin || privilege_secure())) {
        /* kernel/events/core.c, perf_uprobe_event_init(). engine/sys.c opens no uprobe with the
         * capabilities of the program's file. */
        event_refuse(event, "uprobe");
    } else if (probe && !caps->perfmon) {
        /* perf_kprobe_event_init(), in the same file. */
        needs_capability(event, "counting a kprobe", perfmon(caps), caps);
    } else if (is_kernel_breakpoint(event) && !caps->admin) {
        /* kernel/events/hw_breakpoint.c, hw_breakpoint_parse(). */
        needs_capability(event, "a breakpoint on the kernel's memory", "cap_sys_admin", caps);
    } else if ((probe || event->attr.type == PERF_TYPE_TRACEPOINT) &&
               file_line("/sys/kernel/security/lockdown", line, sizeof(line)) == 0 &&
               strstr(line, "[confidentiality]")) {
        /* Documentation/admin-guide/kernel-parameters.txt, "lockdown": the mode in brackets is on.
         */
        event_refuse(event, "lockdown");
    } else if (!caps->perfmon && caps->paranoid > enough) {
        const char *what = system_wide   ? "counting all tasks of a CPU is not permitted"
                           : enough == 2 ? "counting is not permitted"
                           : of_kernel ? "happens in kernel mode only: counting in kernel mode is "
                                         "not permitted"
                                       : "counting in kernel mode is not permitted";
        AUTO_FREE char *why = explain_permission(what, enough, caps);
        AUTO_FREE char *all = mem_printf(
            "%s%s", why, !system_wide && enough < 2 && !of_kernel ? ", or use '--mode user'" : "");
        event_refuse(event, "permission", all);
    } else if (!system_wide && !caps->perfmon && (!caps->ptrace || caps->namespaced)) {
        /* kernel/events/core.c, perf_check_permission(), calls ptrace_may_access(). CAP_SYS_PTRACE
         * of a user namespace does not count for tasks outside of it. */
        needs_capability(event, "a task of another user or with privileges of its own",
                         perfmon(caps), caps);
    } else {
        other_denial(event, caps);
    }
}

/* ---- the event itself ---- */

static void invalid(struct event *event, bool system_wide, const struct caps *caps)
{
    char pmu[256];
    if (event->attr.precise_ip)
        /* arch/x86/events/core.c, x86_pmu_hw_config(): PEBS is for sampling only. */
        event_refuse(event, "precise");
    else if ((is_uncore(event) || (event->hardware && caps->all_modes_only)) &&
             has_exclusions(&event->attr))
        /* kernel/events/core.c, perf_try_init_event(): PERF_PMU_CAP_NO_EXCLUDE; of core PMUs,
         * drivers/perf/riscv_pmu_sbi.c, for processors without the extension Sscofpmf. */
        event_refuse(event, "no-modes");
    else if (is_uncore(event) && !system_wide)
        event_refuse(event, "whole-cpus");
    else if (is_kernel_breakpoint(event) && event->attr.exclude_kernel)
        /* kernel/events/hw_breakpoint.c, hw_breakpoint_parse(). */
        event_refuse(event, "kernel-breakpoint");
    else if (is_breakpoint(event))
        event_refuse(event, "breakpoint");
    else if (event->attr.type == PERF_TYPE_HW_CACHE && topology_core_pmu(pmu, sizeof(pmu)))
        /* set_ext_hw_attr() in arch/x86/events/core.c: EINVAL for a cache event that makes no
         * sense, ENOENT for one that the processor lacks. The message is the same. */
        event_refuse(event, "no-event", pmu);
    else
        event_refuse(event, "settings");
}

void explain_refusal(struct event *event, int error, bool system_wide, const struct caps *caps)
{
    static const struct {
        int error;
        const char *key;
    } others[] = {
        {ENODEV, "device"}, {E2BIG, "too-large"}, {EOVERFLOW, "records"},
        {ESRCH, "ended"},   {EBADF, "cgroup"},    {ENOBUFS, "locked-memory"}, /* engine/ring.h */
    };
    char line[32], number[32];
    unsigned long long most = caps->descriptors;
    switch (error) {
    case ENOENT:
        no_such_event(event, caps);
        return;
    case EACCES:
    case EPERM:
        denied(event, system_wide, caps);
        return;
    case EINVAL:
        invalid(event, system_wide, caps);
        return;
    case ENOSYS:
        all_denied(event, ENOSYS, caps);
        return;
    case EMFILE:
        snprintf(line, sizeof(line), "%llu", most);
        snprintf(number, sizeof(number), "%llu", 4 * most);
        event_refuse(event, "own-descriptors", line, number);
        return;
    case ENFILE:
        if (file_line("/proc/sys/fs/file-max", line, sizeof(line)) == 0 &&
            str_to_u64(line, 1, UINT64_MAX / 2, &most)) {
            snprintf(number, sizeof(number), "%llu", 2 * most);
            event_refuse(event, "descriptors", line, number);
        } else {
            event_refuse(event, "descriptors-unknown");
        }
        return;
    case EOPNOTSUPP:
        event_refuse(event, event->attr.precise_ip         ? "no-precise"
                            : has_exclusions(&event->attr) ? "not-these-modes"
                                                           : "processor");
        return;
    case EBUSY:
        /* Another event uses the PMU exclusively, or the counter that it needs (engine/group.h).
         * Documentation/admin-guide/sysctl/kernel.rst, "nmi_watchdog": a counter on each CPU. */
        event_refuse(event,
                     event->hardware &&
                             file_line("/proc/sys/kernel/nmi_watchdog", line, sizeof(line)) == 0 &&
                             *line == '1'
                         ? "watchdog"
                         : "exclusive");
        return;
    case ENOSPC:
        event_refuse(event, is_breakpoint(event) ? "breakpoints" : "counters");
        return;
    case EINTR:
        event_refuse(event, event_is_probe(event) ? "ftrace" : "signal");
        return;
    }
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
        if (others[i].error == error) {
            event_refuse(event, others[i].key);
            return;
        }
    event_refuse(event, "other", err_reason(error));
}

int explain_cause(const char *reason)
{
    const char *end = strpbrk(reason, ":;");
    while (end && end[1] != ' ')
        end = strpbrk(end + 1, ":;");
    return (int)(end ? (size_t)(end - reason) : strlen(reason));
}
