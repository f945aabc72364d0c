#include "event/event.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "system/caps.h"
#include "system/privilege.h"
#include "system/topology.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The meaning of each errno is from perf_event_open(2), "ERRORS", and where that is vague from the
 * kernel functions named below. */

static void __attribute__((format(printf, 3, 4)))
because(struct event *event, enum event_state state, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    free(event->reason);
    event->state = state;
    event->reason = mem_vprintf(format, args);
    va_end(args);
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
    bool core = event->hardware && topology_core_pmu(pmu, sizeof(pmu));
    const char *cause =
        event->attr.type == PERF_TYPE_TRACEPOINT ? "this kernel has no such tracepoint"
        : event->attr.type == PERF_TYPE_SOFTWARE ? "this kernel is too old to have this event"
        : !event->hardware                       ? "the PMU that counts it is not on this machine"
        : caps->hypervisor
            ? "no hardware counters (virtual machine without a PMU); software events still work"
            : "no hardware counters (this kernel has no driver for the processor's PMU); software "
              "events still work";
    if (core)
        because(event, EVENT_UNSUPPORTED, "this processor's PMU '%s' has no such event", pmu);
    else
        because(event, EVENT_UNSUPPORTED, "%s", cause);
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
    because(event, EVENT_DENIED, "%s needs %s%s: as root, %s", what, capability,
            caps->namespaced ? ", and capabilities of a user namespace do not count" : "", way);
}

static void other_denial(struct event *event, const struct caps *caps)
{
    char modules[160];
    bool known = file_line("/sys/kernel/security/lsm", modules, sizeof(modules)) == 0;
    because(event, EVENT_DENIED,
            "the kernel refuses although the permissions would do: %sa security module%s%s%s "
            "forbids it; allow perf_event_open there",
            caps->seccomp ? "a seccomp filter or " : "", known ? " (one of " : "",
            known ? modules : "", known ? ")" : "");
}

/* perf_event_open(2) is refused for every event. */
static void all_denied(struct event *event, int error, const struct caps *caps)
{
    /* Debian's patch refuses everything from 3 on, Ubuntu's from 4 on. */
    if (error == EACCES && caps->paranoid > 2 && !caps->perfmon) {
        AUTO_FREE char *why = explain_permission("counting is not permitted", 2, caps);
        because(event, EVENT_DENIED, "%s", why);
    } else if (!caps->barred) {
        other_denial(event, caps);
    } else if (caps->seccomp) {
        /* Docker's profile allows it with CAP_PERFMON since 23.0
         * (github.com/moby/moby/pull/43987), Podman's since October 2025
         * (github.com/containers/container-libs/pull/424). */
        because(event, EVENT_DENIED, "a seccomp filter forbids perf_event_open%s",
                caps->perfmon
                    ? ", although there is CAP_PERFMON, as profiles of Docker before 23 and Podman "
                      "until 2025 do: start the container with '--security-opt seccomp=FILE', a "
                      "profile that allows it, or 'seccomp=unconfined'"
                    : ": start the container with '--pid=host --cap-add PERFMON' ('docker run' or "
                      "'podman run')");
    } else if (error == ENOSYS) {
        because(event, EVENT_UNSUPPORTED,
                "this kernel has no perf_event_open (built without CONFIG_PERF_EVENTS, or a "
                "sandbox such as gVisor): use a kernel that has it");
    } else {
        because(event, EVENT_DENIED,
                "perf_event_open fails for every event (%s): a sandbox or a patch of the kernel "
                "forbids it; run countertop outside of it",
                strerror(error));
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
        because(event, EVENT_DENIED,
                "counting a uprobe is for root alone, since it changes the code of all who run the "
                "file: run countertop as root");
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
        because(event, EVENT_DENIED,
                "the kernel is locked down: boot it without 'lockdown=confidentiality'");
    } else if (!caps->perfmon && caps->paranoid > enough) {
        const char *what = system_wide   ? "counting all tasks of a CPU is not permitted"
                           : enough == 2 ? "counting is not permitted"
                           : of_kernel ? "happens in kernel mode only: counting in kernel mode is "
                                         "not permitted"
                                       : "counting in kernel mode is not permitted";
        AUTO_FREE char *why = explain_permission(what, enough, caps);
        because(event, EVENT_DENIED, "%s%s", why,
                !system_wide && enough < 2 && !of_kernel ? ", or use '--mode user'" : "");
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
    const char *cause = "the kernel refuses these settings of the event (EINVAL): compare its code "
                        "and modifiers with its PMU's manual";
    if (event->attr.precise_ip)
        /* arch/x86/events/core.c, x86_pmu_hw_config(): PEBS is for sampling only. */
        cause = "precise events are for sampling, not for counting: leave the modifier p out";
    else if ((is_uncore(event) || (event->hardware && caps->all_modes_only)) &&
             has_exclusions(&event->attr))
        /* kernel/events/core.c, perf_try_init_event(): PERF_PMU_CAP_NO_EXCLUDE; of core PMUs,
         * drivers/perf/riscv_pmu_sbi.c, for processors without the extension Sscofpmf. */
        cause = "its PMU cannot tell modes apart: count it without modifiers and in mode 'all'";
    else if (is_uncore(event) && !system_wide)
        cause = "its PMU counts for whole CPUs, not for single tasks: use the engine 'cpu'";
    else if (is_kernel_breakpoint(event) && event->attr.exclude_kernel)
        /* kernel/events/hw_breakpoint.c, hw_breakpoint_parse(). */
        cause = "a breakpoint on the kernel's memory cannot be counted in user mode: use '--mode "
                "all'";
    else if (is_breakpoint(event))
        cause = "the processor has no such breakpoint: use a length of 1, 2, 4 or 8 and an address "
                "that is a multiple of it";
    else if (event->attr.type == PERF_TYPE_HW_CACHE && topology_core_pmu(pmu, sizeof(pmu))) {
        /* set_ext_hw_attr() in arch/x86/events/core.c: EINVAL for a cache event that makes no
         * sense, ENOENT for one that the processor lacks. The message is the same. */
        because(event, EVENT_UNSUPPORTED, "this processor's PMU '%s' has no such event", pmu);
        return;
    }
    because(event, EVENT_INVALID, "%s", cause);
}

/* What an errno means for every event. */
static const struct {
    int error;
    enum event_state state;
    const char *reason;
} causes[] = {
    {ENODEV, EVENT_UNSUPPORTED,
     "the processor lacks what this event needs, its PMU is not on this CPU, or the CPU is "
     "offline"},
    {E2BIG, EVENT_INVALID,
     "this kernel is too old for the settings of the event: leave config3 out, or use a newer "
     "kernel"},
    {EOVERFLOW, EVENT_INVALID,
     "its records would be larger than the kernel allows: as root, raise "
     "kernel.perf_event_max_stack with sysctl"},
    {ESRCH, EVENT_INVALID, "the task has ended: watch another one"},
    {EBADF, EVENT_INVALID,
     "the cgroup is gone or is no cgroup: name a folder below /sys/fs/cgroup"},
    {ENOBUFS, EVENT_NO_DESCRIPTOR, /* engine/ring.h */
     "no memory may be locked for its records: raise the limit ('ulimit -l', as root 'sysctl "
     "kernel.perf_event_mlock_kb')"},
};

void explain_refusal(struct event *event, int error, bool system_wide, const struct caps *caps)
{
    char line[32];
    unsigned long long most;
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
        because(event, EVENT_NO_DESCRIPTOR,
                "all %zu file descriptors of this process are in use: as root, raise the limit "
                "('prlimit --nofile=%zu countertop'), or count fewer events or tasks",
                caps->descriptors, 4 * caps->descriptors);
        return;
    case ENFILE:
        if (file_line("/proc/sys/fs/file-max", line, sizeof(line)) == 0 &&
            str_to_u64(line, 1, UINT64_MAX / 2, &most))
            because(event, EVENT_NO_DESCRIPTOR,
                    "all %llu file descriptors of the system are in use: as root, run 'sysctl "
                    "fs.file-max=%llu'",
                    most, 2 * most);
        else
            because(event, EVENT_NO_DESCRIPTOR,
                    "all file descriptors of the system are in use: as root, raise fs.file-max "
                    "with sysctl");
        return;
    case EOPNOTSUPP:
        because(event, EVENT_UNSUPPORTED, "%s",
                event->attr.precise_ip
                    ? "this processor has no precise events: leave the modifier p out"
                : has_exclusions(&event->attr)
                    ? "its PMU cannot count in these modes only: count it without modifiers and in "
                      "mode 'all'"
                    : "the processor lacks what this event needs");
        return;
    case EBUSY:
        /* Another event uses the PMU exclusively, or the counter that it needs (engine/group.h).
         * Documentation/admin-guide/sysctl/kernel.rst, "nmi_watchdog": a counter on each CPU. */
        because(event, EVENT_NO_COUNTER, "%s",
                event->hardware &&
                        file_line("/proc/sys/kernel/nmi_watchdog", line, sizeof(line)) == 0 &&
                        *line == '1'
                    ? "the NMI watchdog or another profiler holds its counter: as root, run "
                      "'sysctl kernel.nmi_watchdog=0', or end other profilers"
                    : "another event has its PMU or counter for itself: end other profilers");
        return;
    case ENOSPC:
        because(event, EVENT_NO_COUNTER, "%s",
                is_breakpoint(event) ? "all breakpoint registers of the processor are in use: end "
                                       "debuggers, or watch fewer addresses"
                                     : "no counter is free for it: end other profilers or count "
                                       "fewer events");
        return;
    case EINTR:
        because(event, EVENT_INVALID, "%s",
                event_is_probe(event)
                    ? "ftrace uses this probe: remove it from /sys/kernel/tracing/uprobe_events"
                    : "a signal came while it was opened: add the event again");
        return;
    }
    because(event, EVENT_INVALID, "perf_event_open failed: %s", strerror(error));
    for (size_t i = 0; i < sizeof(causes) / sizeof(*causes); i++)
        if (causes[i].error == error)
            because(event, causes[i].state, "%s", causes[i].reason);
}

void explain_heir(struct event *event)
{
    because(event, EVENT_INVALID,
            "new threads and processes of the watched would inherit the probe, and their creation "
            "would fail: use '--engine cpu'");
}

void explain_silence(struct event *event, const struct caps *caps)
{
    because(event, EVENT_UNSUPPORTED,
            "hardware breakpoints never fire here (%s): use a machine where they do, or probes for "
            "calls of functions",
            caps->hypervisor ? "a virtual machine whose host does not pass them on"
                             : "a write of countertop's own was not counted");
}

int explain_cause(const char *reason)
{
    const char *end = strpbrk(reason, ":;");
    while (end && end[1] != ' ')
        end = strpbrk(end + 1, ":;");
    return (int)(end ? (size_t)(end - reason) : strlen(reason));
}
