#include "event/explain.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "system/privilege.h"
#include "system/topology.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The meaning of each errno is from perf_event_open(2), "ERRORS", and where that is vague from the
 * kernel functions named below. */

struct cause {
    enum event_state state;
    char *reason; /* the event takes ownership */
};

static struct cause __attribute__((format(printf, 2, 3)))
because(enum event_state state, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *reason = mem_vprintf(format, args);
    va_end(args);
    return (struct cause){state, reason};
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

static struct cause no_such_event(const struct event *event, const struct caps *caps)
{
    char pmu[256];
    if (event->attr.type == PERF_TYPE_TRACEPOINT)
        return because(EVENT_UNSUPPORTED, "this kernel has no such tracepoint");
    if (event->attr.type == PERF_TYPE_SOFTWARE)
        return because(EVENT_UNSUPPORTED, "this kernel is too old to have this event");
    if (!event->hardware)
        return because(EVENT_UNSUPPORTED, "the PMU that counts it is not on this machine");
    if (topology_core_pmu(pmu, sizeof(pmu)))
        return because(EVENT_UNSUPPORTED, "this processor's PMU '%s' has no such event", pmu);
    return because(EVENT_UNSUPPORTED,
                   caps->hypervisor
                       ? "no hardware counters (virtual machine without a PMU); software events "
                         "still work"
                       : "no hardware counters (this kernel has no driver for the processor's "
                         "PMU); software events still work");
}

/* ---- permission ---- */

/* Adds how to get the capability: from the program's file, unless file capabilities have no effect
 * or cannot be set here. */
static void add_capability(struct str *text, const char *capability, const struct caps *caps)
{
    if (caps->namespaced)
        str_printf(text, "start countertop with %s outside of the user namespace", capability);
    else if (caps->no_setcap)
        str_printf(text, "run '%s'", caps->program);
    else
        str_printf(text, "run 'setcap %s+ep %s'%s", capability, caps->program,
                   caps->no_new_privs ? " and start it without no_new_privs" : "");
}

static const char *perfmon(const struct caps *caps)
{
    return caps->old_kernel ? "cap_sys_admin" : "cap_perfmon";
}

char *explain_permission(const char *what, int enough, const struct caps *caps)
{
    char obstacle[128];
    struct str text = str_new();
    caps_obstacle(caps, obstacle, sizeof(obstacle));
    str_printf(&text, "%s (%s): as root, run 'sysctl kernel.perf_event_paranoid=%d' or ", what,
               obstacle, enough);
    if (caps->namespaced || caps->no_new_privs)
        add_capability(&text, perfmon(caps), caps);
    else if (caps->no_setcap)
        str_printf(&text, "'%s'", caps->program);
    else
        str_printf(&text, "'setcap %s+ep %s'", perfmon(caps), caps->program);
    return str_detach(&text);
}

char *explain_capability(const struct caps *caps)
{
    struct str text = str_new();
    str_add(&text, "as root, ");
    add_capability(&text, perfmon(caps), caps);
    return str_detach(&text);
}

/* "Not permitted" where only a capability helps, whatever perf_event_paranoid is. */
static struct cause needs_capability(const char *what, const char *capability,
                                     const struct caps *caps)
{
    struct str text = str_new();
    str_printf(&text, "%s needs %s%s: as root, ", what, capability,
               caps->namespaced ? ", and capabilities of a user namespace do not count" : "");
    add_capability(&text, capability, caps);
    return (struct cause){EVENT_DENIED, str_detach(&text)};
}

static struct cause other_denial(const struct caps *caps)
{
    char modules[160];
    bool known = file_line("/sys/kernel/security/lsm", modules, sizeof(modules)) == 0;
    struct str text = str_new();
    str_add(&text, "the kernel refuses although the permissions would do: ");
    if (caps->seccomp)
        str_add(&text, "a seccomp filter or ");
    str_printf(&text, "a security module%s%s%s forbids it; allow perf_event_open there",
               known ? " (one of " : "", known ? modules : "", known ? ")" : "");
    return (struct cause){EVENT_DENIED, str_detach(&text)};
}

/* perf_event_open(2) is refused for every event. */
static struct cause all_denied(int error, const struct caps *caps)
{
    /* Debian's patch refuses everything from 3 on, Ubuntu's from 4 on. */
    if (error == EACCES && caps->paranoid > 2 && !caps->perfmon)
        return (struct cause){EVENT_DENIED,
                              explain_permission("counting is not permitted", 2, caps)};
    if (!caps->barred)
        return other_denial(caps);
    /* Docker's profile allows it with CAP_PERFMON since 23.0 (github.com/moby/moby/pull/43987),
     * Podman's since October 2025 (github.com/containers/container-libs/pull/424). */
    if (caps->seccomp && caps->perfmon)
        return because(
            EVENT_DENIED,
            "a seccomp filter forbids perf_event_open, although there is CAP_PERFMON, as "
            "profiles of Docker before 23 and Podman until 2025 do: start the container "
            "with '--security-opt seccomp=FILE', a profile that allows it, or "
            "'seccomp=unconfined'");
    if (caps->seccomp)
        return because(EVENT_DENIED,
                       "a seccomp filter forbids perf_event_open: start the container with "
                       "'--pid=host --cap-add PERFMON' ('docker run' or 'podman run')");
    if (error == ENOSYS)
        return because(EVENT_UNSUPPORTED,
                       "this kernel has no perf_event_open (built without CONFIG_PERF_EVENTS, or a "
                       "sandbox such as gVisor): use a kernel that has it");
    return because(EVENT_DENIED,
                   "perf_event_open fails for every event (%s): a "
                   "sandbox or a patch of the kernel forbids it; run countertop "
                   "outside of it",
                   strerror(error));
}

static struct cause denied(const struct event *event, bool system_wide, const struct caps *caps)
{
    if (caps->refused)
        return all_denied(caps->refused, caps);
    /* The kernel checks permission first, but permission would not help without a PMU. */
    if (event->hardware && !caps->core_pmu)
        return no_such_event(event, caps);
    /* kernel/events/core.c, perf_kprobe_event_init() and perf_uprobe_event_init(). engine/sys.c
     * opens no uprobe with the capabilities of the program's file. */
    if (str_equal(event->pmu, "uprobe") && (!caps->admin || privilege_secure()))
        return because(EVENT_DENIED,
                       "counting a uprobe is for root alone, since it changes the code "
                       "of all who run the file: run countertop as root");
    if (event_is_probe(event) && !caps->perfmon)
        return needs_capability("counting a kprobe", perfmon(caps), caps);
    /* kernel/events/hw_breakpoint.c, hw_breakpoint_parse(). */
    if (is_kernel_breakpoint(event) && !caps->admin)
        return needs_capability("a breakpoint on the kernel's memory", "cap_sys_admin", caps);
    /* Documentation/admin-guide/kernel-parameters.txt, "lockdown": the mode in brackets is on. */
    char line[128];
    if ((event_is_probe(event) || event->attr.type == PERF_TYPE_TRACEPOINT) &&
        file_line("/sys/kernel/security/lockdown", line, sizeof(line)) == 0 &&
        strstr(line, "[confidentiality]"))
        return because(EVENT_DENIED, "the kernel is locked down: boot it without "
                                     "'lockdown=confidentiality'");
    /* The highest perf_event_paranoid at which the kernel allows this without a capability:
     * perf_event_open(2), "/proc/sys/kernel/perf_event_paranoid". */
    int enough = system_wide ? 0 : event->attr.exclude_kernel ? 2 : 1;
    if (!caps->perfmon && caps->paranoid > enough) {
        bool of_kernel = event_of_kernel(event);
        const char *what = system_wide   ? "counting all tasks of a CPU is not permitted"
                           : enough == 2 ? "counting is not permitted"
                           : of_kernel ? "happens in kernel mode only: counting in kernel mode is "
                                         "not permitted"
                                       : "counting in kernel mode is not permitted";
        struct cause found = {EVENT_DENIED, explain_permission(what, enough, caps)};
        if (!system_wide && enough < 2 && !of_kernel) {
            char *reason = mem_printf("%s, or use '--mode user'", found.reason);
            free(found.reason);
            found.reason = reason;
        }
        return found;
    }
    /* kernel/events/core.c, perf_check_permission(), calls ptrace_may_access(). CAP_SYS_PTRACE of a
     * user namespace does not count for tasks outside of it. */
    if (!system_wide && !caps->perfmon && (!caps->ptrace || caps->namespaced))
        return needs_capability("a task of another user or with privileges of its own",
                                perfmon(caps), caps);
    return other_denial(caps);
}

/* ---- the event itself ---- */

static struct cause invalid(const struct event *event, bool system_wide, const struct caps *caps)
{
    char pmu[256];
    /* arch/x86/events/core.c, x86_pmu_hw_config(): PEBS is for sampling only. */
    if (event->attr.precise_ip)
        return because(
            EVENT_INVALID,
            "precise events are for sampling, not for counting: leave the modifier p out");
    /* kernel/events/core.c, perf_try_init_event(): PERF_PMU_CAP_NO_EXCLUDE; of core PMUs,
     * drivers/perf/riscv_pmu_sbi.c, for processors without the extension Sscofpmf. */
    if ((is_uncore(event) || (event->hardware && caps->all_modes_only)) &&
        has_exclusions(&event->attr))
        return because(EVENT_INVALID, "its PMU cannot tell modes apart: count it without modifiers "
                                      "and in mode 'all'");
    if (is_uncore(event) && !system_wide)
        return because(EVENT_INVALID,
                       "its PMU counts for whole CPUs, not for single tasks: use the engine 'cpu'");
    /* kernel/events/hw_breakpoint.c, hw_breakpoint_parse(). */
    if (is_kernel_breakpoint(event) && event->attr.exclude_kernel)
        return because(EVENT_INVALID,
                       "a breakpoint on the kernel's memory cannot be counted in user "
                       "mode: use '--mode all'");
    if (is_breakpoint(event))
        return because(EVENT_INVALID,
                       "the processor has no such breakpoint: use a length of 1, 2, 4 "
                       "or 8 and an address that is a multiple of it");
    /* set_ext_hw_attr() in arch/x86/events/core.c: EINVAL for a cache event that makes no sense,
     * ENOENT for one that the processor lacks. The message is the same. */
    if (event->attr.type == PERF_TYPE_HW_CACHE && topology_core_pmu(pmu, sizeof(pmu)))
        return because(EVENT_UNSUPPORTED, "this processor's PMU '%s' has no such event", pmu);
    return because(EVENT_INVALID,
                   "the kernel refuses these settings of the event (EINVAL): compare "
                   "its code and modifiers with its PMU's manual");
}

static struct cause find_cause(const struct event *event, int error, bool system_wide,
                               const struct caps *caps)
{
    char line[32];
    unsigned long long most;
    switch (error) {
    case ENOENT:
        return no_such_event(event, caps);
    case EACCES:
    case EPERM:
        return denied(event, system_wide, caps);
    case EMFILE:
        return because(EVENT_NO_DESCRIPTOR,
                       "all %zu file descriptors of this process are in use: as root, raise the "
                       "limit ('prlimit --nofile=%zu countertop'), or count fewer events or tasks",
                       caps->descriptors, 4 * caps->descriptors);
    case ENFILE:
        if (file_line("/proc/sys/fs/file-max", line, sizeof(line)) != 0 ||
            !str_to_u64(line, 1, UINT64_MAX / 2, &most))
            return because(EVENT_NO_DESCRIPTOR, "all file descriptors of the system are in use: as "
                                                "root, raise fs.file-max with sysctl");
        return because(EVENT_NO_DESCRIPTOR,
                       "all %llu file descriptors of the system are in use: as root, run 'sysctl "
                       "fs.file-max=%llu'",
                       most, 2 * most);
    case EINVAL:
        return invalid(event, system_wide, caps);
    case EOPNOTSUPP:
        if (event->attr.precise_ip)
            return because(EVENT_UNSUPPORTED,
                           "this processor has no precise events: leave the modifier p out");
        if (has_exclusions(&event->attr))
            return because(EVENT_UNSUPPORTED, "its PMU cannot count in these modes only: count it "
                                              "without modifiers and in mode 'all'");
        return because(EVENT_UNSUPPORTED, "the processor lacks what this event needs");
    case ENOSYS:
        return all_denied(ENOSYS, caps);
    case EBUSY:
        /* Another event uses the PMU exclusively, or the counter that it needs (engine/group.h).
         * Documentation/admin-guide/sysctl/kernel.rst, "nmi_watchdog": a counter on each CPU. */
        if (event->hardware &&
            file_line("/proc/sys/kernel/nmi_watchdog", line, sizeof(line)) == 0 && *line == '1')
            return because(EVENT_NO_COUNTER,
                           "the NMI watchdog or another profiler holds its counter: as root, run "
                           "'sysctl kernel.nmi_watchdog=0', or end other profilers");
        return because(EVENT_NO_COUNTER, "another event has its PMU or counter for itself: end "
                                         "other profilers");
    case ENOSPC:
        return because(EVENT_NO_COUNTER, is_breakpoint(event)
                                             ? "all breakpoint registers of the processor are in "
                                               "use: end debuggers, or watch fewer addresses"
                                             : "no counter is free for it: end other profilers or "
                                               "count fewer events");
    case ENODEV:
        return because(EVENT_UNSUPPORTED, "the processor lacks what this event needs, its PMU is "
                                          "not on this CPU, or the CPU is offline");
    case E2BIG:
        return because(EVENT_INVALID, "this kernel is too old for the settings of the event: leave "
                                      "config3 out, or use a newer kernel");
    case EOVERFLOW:
        return because(EVENT_INVALID, "its records would be larger than the kernel allows: as "
                                      "root, raise kernel.perf_event_max_stack with sysctl");
    case ESRCH:
        return because(EVENT_INVALID, "the task has ended: watch another one");
    case EBADF:
        return because(EVENT_INVALID, "the cgroup is gone or is no cgroup: name a folder below "
                                      "/sys/fs/cgroup");
    case ENOBUFS: /* engine/ring.h */
        return because(EVENT_NO_DESCRIPTOR, "no memory may be locked for its records: raise the "
                                            "limit ('ulimit -l', as root 'sysctl "
                                            "kernel.perf_event_mlock_kb')");
    case EINTR:
        return because(EVENT_INVALID, event_is_probe(event)
                                          ? "ftrace uses this probe: remove it from "
                                            "/sys/kernel/tracing/uprobe_events"
                                          : "a signal came while it was opened: add the event "
                                            "again");
    default:
        return because(EVENT_INVALID, "perf_event_open failed: %s", strerror(error));
    }
}

void explain_refusal(struct event *event, int error, bool system_wide, const struct caps *caps)
{
    struct cause found = find_cause(event, error, system_wide, caps);
    free(event->reason);
    event->state = found.state;
    event->reason = found.reason;
}

void explain_heir(struct event *event)
{
    free(event->reason);
    event->state = EVENT_INVALID;
    event->reason = mem_strdup("new threads and processes of the watched would inherit the probe, "
                               "and their creation would fail: use '--engine cpu'");
}

void explain_silence(struct event *event, const struct caps *caps)
{
    free(event->reason);
    event->state = EVENT_UNSUPPORTED;
    event->reason = mem_printf("hardware breakpoints never fire here (%s): use a machine where "
                               "they do, or probes for calls of functions",
                               caps->hypervisor ? "a virtual machine whose host does not pass "
                                                  "them on"
                                                : "a write of countertop's own was not counted");
}

int explain_cause(const char *reason)
{
    size_t length = strlen(reason);
    static const char *const ends[] = {": ", "; "};
    for (size_t i = 0; i < 2; i++) {
        const char *end = strstr(reason, ends[i]);
        if (end && (size_t)(end - reason) < length)
            length = (size_t)(end - reason);
    }
    return (int)length;
}
