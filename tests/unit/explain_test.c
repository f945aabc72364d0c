/* Each refusal of the kernel has its state, and a reason that names what helps on this machine. */
#include "base/mem.h"
#include "event/event.h"
#include "system/caps.h"
#include "unit/test.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct caps user = {
    .paranoid = 2, .core_pmu = true, .descriptors = 1024, .program = "/opt/countertop"};
static const struct caps root = {
    .paranoid = 2, .perfmon = true, .ptrace = true, .core_pmu = true, .descriptors = 1024};

/* says: words of the reason, parts of it in their order, separated by "..". */
static void expect(struct event event, int error, bool system_wide, const struct caps *caps,
                   enum event_state state, const char *says)
{
    event.reason = mem_strdup("an earlier reason");
    explain_refusal(&event, error, system_wide, caps);
    AUTO_FREE char *parts = mem_strdup(says);
    char *rest = parts;
    const char *at = event.reason;
    for (char *end; rest; rest = end ? end + 2 : NULL) {
        end = strstr(rest, "..");
        if (end)
            *end = '\0';
        if (!(at = strstr(at, rest)))
            fail_msg("no '%s' in '%s'", rest, event.reason);
        at += strlen(rest);
    }
    assert_int_equal(event.state, state);
    /* One sentence that goes on behind "cannot count 'X': ". */
    assert_false(isupper((unsigned char)event.reason[0]));
    assert_int_not_equal(event.reason[strlen(event.reason) - 1], '.');
    assert_true(strlen(event.reason) < 300);
    free(event.reason);
}

static struct event hardware(uint32_t type)
{
    return (struct event){.attr = {.type = type}, .hardware = true};
}

static struct event other(uint32_t type)
{
    return (struct event){.attr = {.type = type}};
}

static struct event probe(uint32_t type, char *pmu)
{
    return (struct event){.attr = {.type = type}, .pmu = pmu};
}

static struct event in_user_mode(struct event event)
{
    event.attr.exclude_kernel = 1;
    return event;
}

static struct event precise(struct event event)
{
    event.attr.precise_ip = 2;
    return event;
}

static struct event on_the_kernel(void)
{
    return (struct event){.attr = {.type = PERF_TYPE_BREAKPOINT, .bp_addr = UINT64_C(1) << 63}};
}

static void root_at(const char *path)
{
    setenv("COUNTERTOP_ROOT", path, 1);
}

static void no_such_event(void **state)
{
    struct event cycles = hardware(PERF_TYPE_HARDWARE);
    struct caps caps = {.hypervisor = true};
    root_at("tests/data/novpmu");
    expect(cycles, ENOENT, true, &caps, EVENT_UNSUPPORTED,
           "virtual machine without a PMU..software events still work");
    caps.paranoid = 2; /* permission would not help */
    expect(cycles, EACCES, true, &caps, EVENT_UNSUPPORTED, "virtual machine without a PMU");
    caps.hypervisor = false;
    expect(hardware(PERF_TYPE_RAW), ENOENT, true, &caps, EVENT_UNSUPPORTED,
           "no driver for the processor's PMU");
    root_at("tests/data/arm");
    expect(cycles, ENOENT, true, &root, EVENT_UNSUPPORTED, "'armv8_pmuv3_0' has no such event");
    expect(other(PERF_TYPE_TRACEPOINT), ENOENT, true, &root, EVENT_UNSUPPORTED, "tracepoint");
    expect(other(PERF_TYPE_SOFTWARE), ENOENT, true, &root, EVENT_UNSUPPORTED, "too old");
    expect(other(17), ENOENT, true, &root, EVENT_UNSUPPORTED, "PMU..is not on this machine");
}

/* Debian's levels from 3 on, Ubuntu's from 4 on: the call fails for every event. */
static void no_use_at_all(void **state)
{
    struct event faults = in_user_mode(other(PERF_TYPE_SOFTWARE));
    for (int paranoid = 3; paranoid <= 4; paranoid++) {
        struct caps caps = user;
        const char *reason = paranoid == 3 ? "counting is not permitted..is 3..paranoid=2..setcap"
                                           : "counting is not permitted..is 4..paranoid=2..setcap";
        caps.paranoid = paranoid;
        expect(faults, EACCES, false, &caps, EVENT_DENIED, reason);
        caps.refused = EACCES;
        expect(faults, EACCES, false, &caps, EVENT_DENIED, reason);
        /* It is not about all tasks only: 0 would allow more than it takes. */
        expect(faults, EACCES, true, &caps, EVENT_DENIED, reason);
    }
}

static void expect_capability(const struct caps *caps, const char *expected)
{
    AUTO_FREE char *text = explain_capability(caps);
    assert_string_equal(text, expected);
}

/* What helps depends on where the capability can come from. */
static void remedies(void **state)
{
    struct event faults = other(PERF_TYPE_SOFTWARE);
    struct caps caps = user;
    expect_capability(&caps, "as root, run 'setcap cap_perfmon+ep /opt/countertop'");
    caps.no_setcap = true;
    expect(faults, EACCES, true, &caps, EVENT_DENIED, "paranoid=0' or '/opt/countertop'");
    expect_capability(&caps, "as root, run '/opt/countertop'");
    caps = user;
    caps.namespaced = true;
    static const char outside[] =
        "as root, start countertop with cap_perfmon outside of the user namespace";
    expect(faults, EACCES, true, &caps, EVENT_DENIED,
           "a user namespace do not count..paranoid=0..outside of the user namespace");
    expect(probe(9, "kprobe"), EACCES, false, &caps, EVENT_DENIED,
           "a kprobe needs cap_perfmon..outside of the user namespace");
    expect_capability(&caps, outside);
    caps = user;
    caps.no_new_privs = true;
    expect(faults, EACCES, true, &caps, EVENT_DENIED, "setcap..without no_new_privs");
    caps = user;
    caps.old_kernel = true;
    expect(faults, EACCES, true, &caps, EVENT_DENIED, "setcap cap_sys_admin+ep /opt/countertop");
}

/* What perf_event_paranoid has no say in. */
static void capabilities(void **state)
{
    struct caps perfmon = user;
    perfmon.perfmon = true;
    root_at("tests/data/arm");
    expect(probe(9, "kprobe"), EACCES, true, &user, EVENT_DENIED,
           "a kprobe needs cap_perfmon..setcap cap_perfmon+ep /opt/countertop");
    expect(probe(8, "uprobe"), EACCES, true, &perfmon, EVENT_DENIED, "for root alone");
    expect(on_the_kernel(), EPERM, true, &perfmon, EVENT_DENIED, "setcap cap_sys_admin+ep");
    root_at("tests/data/hardened");
    expect(probe(9, "kprobe"), EPERM, true, &root, EVENT_DENIED, "locked down..lockdown=");
    expect(other(PERF_TYPE_TRACEPOINT), EPERM, true, &root, EVENT_DENIED, "locked down..lockdown=");
}

static void sandboxes(void **state)
{
    struct event faults = other(PERF_TYPE_SOFTWARE);
    struct caps caps = root;
    static const char filtered[] = "seccomp filter..there is CAP_PERFMON..'seccomp=unconfined'";
    caps.seccomp = true;
    caps.refused = EPERM;
    caps.barred = true;
    expect(faults, EPERM, true, &caps, EVENT_DENIED, filtered);
    caps.perfmon = false;
    expect(faults, EPERM, true, &caps, EVENT_DENIED, "seccomp filter..--cap-add PERFMON");
    caps.perfmon = true;
    caps.core_pmu = false; /* software events do not work either */
    expect(hardware(PERF_TYPE_HARDWARE), EPERM, true, &caps, EVENT_DENIED, filtered);
    caps.refused = ENOSYS;
    expect(faults, ENOSYS, true, &caps, EVENT_DENIED, filtered);
    caps.seccomp = false;
    expect(faults, ENOSYS, true, &caps, EVENT_UNSUPPORTED, "CONFIG_PERF_EVENTS..gVisor");
    caps.refused = EPERM;
    expect(faults, EPERM, true, &caps, EVENT_DENIED, "every event..sandbox or a patch");

    /* The call gets through, and is refused in spite of all that we know. */
    caps = root;
    root_at("tests/data/arm");
    expect(faults, EPERM, true, &caps, EVENT_DENIED, "although..a security module forbids it");
    caps = user;
    caps.paranoid = -1;
    caps.seccomp = true;
    caps.refused = EPERM; /* for its arguments: a filter can look at those, too */
    root_at("tests/data/hardened");
    expect(faults, EPERM, true, &caps, EVENT_DENIED,
           "although..seccomp filter or a security module (one of lockdown,capability,selinux)");
}

static void invalid(void **state)
{
    struct event cycles = hardware(PERF_TYPE_HARDWARE), breakpoint = other(PERF_TYPE_BREAKPOINT);
    struct caps unsplit = root;
    unsplit.all_modes_only = true;
    root_at("tests/data/intel");
    expect(precise(cycles), EINVAL, true, &root, EVENT_INVALID, "leave the modifier p out");
    expect(in_user_mode(other(12)), EINVAL, true, &root, EVENT_INVALID, "tell modes apart");
    expect(in_user_mode(cycles), EINVAL, true, &unsplit, EVENT_INVALID, "tell modes apart");
    expect(other(12), EINVAL, false, &root, EVENT_INVALID, "for whole CPUs..the engine 'cpu'");
    expect(hardware(PERF_TYPE_HW_CACHE), EINVAL, true, &root, EVENT_UNSUPPORTED,
           "'cpu' has no such event");
    expect(breakpoint, EINVAL, true, &root, EVENT_INVALID, "no such breakpoint..1, 2, 4 or 8");
    expect(in_user_mode(on_the_kernel()), EINVAL, true, &root, EVENT_INVALID, "'--mode all'");
    static const char refused[] = "the kernel refuses these settings of the event";
    expect(other(12), EINVAL, true, &root, EVENT_INVALID, refused);
    expect(hardware(PERF_TYPE_RAW), EINVAL, true, &root, EVENT_INVALID, refused);
    expect(other(PERF_TYPE_SOFTWARE), EINVAL, false, &root, EVENT_INVALID, refused);
}

static void used_up(void **state)
{
    struct event cycles = hardware(PERF_TYPE_HARDWARE);
    static const char taken[] = "another event has its PMU..end other profilers";
    root_at("tests/data/novpmu");
    expect(cycles, EMFILE, false, &user, EVENT_NO_DESCRIPTOR, "all 1024..prlimit --nofile=4096");
    expect(cycles, ENFILE, false, &user, EVENT_NO_DESCRIPTOR, "of the system..fs.file-max");
    expect(cycles, EBUSY, true, &root, EVENT_NO_COUNTER, taken);
    expect(cycles, ENOSPC, true, &root, EVENT_NO_COUNTER, "no counter is free");
    expect(other(PERF_TYPE_BREAKPOINT), ENOSPC, true, &root, EVENT_NO_COUNTER, "end debuggers");
    root_at("tests/data/hardened");
    expect(cycles, ENFILE, false, &user, EVENT_NO_DESCRIPTOR, "all 1000..fs.file-max=2000");
    expect(cycles, EBUSY, true, &root, EVENT_NO_COUNTER, "NMI watchdog..nmi_watchdog=0");
    expect(other(PERF_TYPE_SOFTWARE), EBUSY, true, &root, EVENT_NO_COUNTER, taken);
}

static void features(void **state)
{
    struct event cycles = hardware(PERF_TYPE_HARDWARE);
    expect(cycles, EOPNOTSUPP, true, &root, EVENT_UNSUPPORTED, "lacks what this event needs");
    expect(precise(cycles), EOPNOTSUPP, true, &root, EVENT_UNSUPPORTED, "leave the modifier p out");
    expect(in_user_mode(cycles), EOPNOTSUPP, true, &root, EVENT_UNSUPPORTED, "mode 'all'");
    expect(cycles, ENODEV, true, &root, EVENT_UNSUPPORTED, "not on this CPU");
    expect(cycles, E2BIG, true, &root, EVENT_INVALID, "leave config3 out");
    expect(cycles, EOVERFLOW, true, &root, EVENT_INVALID, "kernel.perf_event_max_stack");
    expect(cycles, ESRCH, false, &root, EVENT_INVALID, "the task has ended");
    expect(cycles, EBADF, false, &root, EVENT_INVALID, "the cgroup is gone..below /sys/fs/cgroup");
    expect(probe(9, "uprobe"), EINTR, true, &root, EVENT_INVALID, "tracing/uprobe_events");
    expect(cycles, EINTR, true, &root, EVENT_INVALID, "a signal came..again");
    expect(cycles, EIO, false, &root, EVENT_INVALID, "failed: Input/output error");
}
