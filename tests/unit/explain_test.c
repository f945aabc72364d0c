#include "base/mem.h"
#include "event/explain.h"
#include "unit/test.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct caps user = {
    .paranoid = 2, .core_pmu = true, .descriptors = 1024, .program = "/opt/countertop"};
static const struct caps root = {
    .paranoid = 2, .perfmon = true, .ptrace = true, .core_pmu = true, .descriptors = 1024};

static void expect_with(struct event event, int error, bool system_wide, const struct caps *caps,
                        enum event_state state, const char *reason)
{
    event.reason = mem_strdup("an earlier reason");
    explain_refusal(&event, error, system_wide, caps);
    assert_string_equal(event.reason, reason);
    assert_int_equal(event.state, state);
    /* One sentence that goes on behind "cannot count 'X': ". */
    assert_false(isupper((unsigned char)reason[0]));
    assert_int_not_equal(reason[strlen(reason) - 1], '.');
    assert_true(strlen(reason) < 300);
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

static void root_at(const char *path)
{
    setenv("COUNTERTOP_ROOT", path, 1);
}

static void no_such_event(void **state)
{
    struct caps caps = {.hypervisor = true};
    root_at("tests/data/novpmu");
    expect_with(hardware(PERF_TYPE_HARDWARE), ENOENT, true, &caps, EVENT_UNSUPPORTED,
                "no hardware counters (virtual machine without a PMU); software events still "
                "work");
    /* Permission would not help. */
    caps.paranoid = 2;
    expect_with(hardware(PERF_TYPE_HARDWARE), EACCES, true, &caps, EVENT_UNSUPPORTED,
                "no hardware counters (virtual machine without a PMU); software events still "
                "work");
    caps.hypervisor = false;
    expect_with(hardware(PERF_TYPE_RAW), ENOENT, true, &caps, EVENT_UNSUPPORTED,
                "no hardware counters (this kernel has no driver for the processor's PMU); "
                "software events still work");
    root_at("tests/data/arm");
    expect_with(hardware(PERF_TYPE_HARDWARE), ENOENT, true, &root, EVENT_UNSUPPORTED,
                "this processor's PMU 'armv8_pmuv3_0' has no such event");
    expect_with(other(PERF_TYPE_TRACEPOINT), ENOENT, true, &root, EVENT_UNSUPPORTED,
                "this kernel has no such tracepoint");
    expect_with(other(PERF_TYPE_SOFTWARE), ENOENT, true, &root, EVENT_UNSUPPORTED,
                "this kernel is too old to have this event");
    expect_with(other(17), ENOENT, true, &root, EVENT_UNSUPPORTED,
                "the PMU that counts it is not on this machine");
}

static void permission(void **state)
{
    struct caps caps = user;
    struct event cycles = hardware(PERF_TYPE_HARDWARE), user_cycles = cycles;
    user_cycles.attr.exclude_kernel = 1;
    root_at("tests/data/arm");
    expect_with(cycles, EACCES, true, &caps, EVENT_DENIED,
                "counting all tasks of a CPU is not permitted (perf_event_paranoid is 2): as root, "
                "run 'sysctl kernel.perf_event_paranoid=0' or 'setcap cap_perfmon+ep "
                "/opt/countertop'");
    expect_with(cycles, EACCES, false, &caps, EVENT_DENIED,
                "counting in kernel mode is not permitted (perf_event_paranoid is 2): as root, run "
                "'sysctl kernel.perf_event_paranoid=1' or 'setcap cap_perfmon+ep /opt/countertop', "
                "or use '--mode user'");
    static const char of_another[] =
        "a task of another user or with privileges of its own needs cap_perfmon: as root, run "
        "'setcap cap_perfmon+ep /opt/countertop'";
    expect_with(user_cycles, EACCES, false, &caps, EVENT_DENIED, of_another);
    caps.paranoid = 1;
    expect_with(cycles, EACCES, false, &caps, EVENT_DENIED, of_another);
    caps.paranoid = CAPS_PARANOID_UNKNOWN;
    expect_with(user_cycles, EACCES, true, &caps, EVENT_DENIED,
                "counting all tasks of a CPU is not permitted (perf_event_paranoid is not "
                "readable): as root, run 'sysctl kernel.perf_event_paranoid=0' or 'setcap "
                "cap_perfmon+ep /opt/countertop'");
}

/* Debian's levels from 3 on, Ubuntu's from 4 on: the call fails for every event. */
static void no_use_at_all(void **state)
{
    struct event faults = other(PERF_TYPE_SOFTWARE);
    faults.attr.exclude_kernel = 1;
    for (int paranoid = 3; paranoid <= 4; paranoid++) {
        struct caps caps = user;
        char reason[200];
        caps.paranoid = paranoid;
        snprintf(reason, sizeof(reason),
                 "counting is not permitted (perf_event_paranoid is %d): as root, run 'sysctl "
                 "kernel.perf_event_paranoid=2' or 'setcap cap_perfmon+ep /opt/countertop'",
                 paranoid);
        expect_with(faults, EACCES, false, &caps, EVENT_DENIED, reason);
        caps.refused = EACCES;
        expect_with(faults, EACCES, false, &caps, EVENT_DENIED, reason);
        /* It is not about all tasks only: 0 would allow more than it takes. */
        expect_with(faults, EACCES, true, &caps, EVENT_DENIED, reason);
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
    struct event faults = other(PERF_TYPE_SOFTWARE), probe = other(9);
    probe.pmu = "kprobe";
    struct caps caps = user;
    caps.no_setcap = true;
    expect_with(faults, EACCES, true, &caps, EVENT_DENIED,
                "counting all tasks of a CPU is not permitted (perf_event_paranoid is 2): as root, "
                "run 'sysctl kernel.perf_event_paranoid=0' or '/opt/countertop'");
    expect_capability(&caps, "as root, run '/opt/countertop'");
    caps = user;
    caps.namespaced = true;
    expect_with(faults, EACCES, true, &caps, EVENT_DENIED,
                "counting all tasks of a CPU is not permitted (perf_event_paranoid is 2, and "
                "capabilities of a user namespace do not count): as root, run 'sysctl "
                "kernel.perf_event_paranoid=0' or start countertop with cap_perfmon outside of the "
                "user namespace");
    expect_with(probe, EACCES, false, &caps, EVENT_DENIED,
                "counting a kprobe needs cap_perfmon, and capabilities of a user "
                "namespace do not count: as root, start countertop with cap_perfmon outside of the "
                "user namespace");
    expect_capability(&caps,
                      "as root, start countertop with cap_perfmon outside of the user namespace");
    caps = user;
    expect_capability(&caps, "as root, run 'setcap cap_perfmon+ep /opt/countertop'");
    caps.no_new_privs = true;
    expect_with(faults, EACCES, true, &caps, EVENT_DENIED,
                "counting all tasks of a CPU is not permitted (perf_event_paranoid is 2): as root, "
                "run 'sysctl kernel.perf_event_paranoid=0' or run 'setcap cap_perfmon+ep "
                "/opt/countertop' and start it without no_new_privs");
    caps = user;
    caps.old_kernel = true;
    expect_with(faults, EACCES, true, &caps, EVENT_DENIED,
                "counting all tasks of a CPU is not permitted (perf_event_paranoid is 2): as root, "
                "run 'sysctl kernel.perf_event_paranoid=0' or 'setcap cap_sys_admin+ep "
                "/opt/countertop'");
}

/* What perf_event_paranoid has no say in. */
static void capabilities(void **state)
{
    struct event probe = other(9), uprobe = other(8), breakpoint = other(PERF_TYPE_BREAKPOINT);
    struct caps perfmon = user;
    perfmon.perfmon = true;
    probe.pmu = "kprobe";
    uprobe.pmu = "uprobe";
    breakpoint.attr.bp_addr = UINT64_C(1) << 63;
    root_at("tests/data/arm");
    expect_with(probe, EACCES, true, &user, EVENT_DENIED,
                "counting a kprobe needs cap_perfmon: as root, run 'setcap "
                "cap_perfmon+ep /opt/countertop'");
    expect_with(uprobe, EACCES, true, &perfmon, EVENT_DENIED,
                "counting a uprobe is for root alone, since it changes the code of all who run the "
                "file: run countertop as root");
    expect_with(breakpoint, EPERM, true, &perfmon, EVENT_DENIED,
                "a breakpoint on the kernel's memory needs cap_sys_admin: as root, run 'setcap "
                "cap_sys_admin+ep /opt/countertop'");
    root_at("tests/data/hardened");
    static const char locked[] =
        "the kernel is locked down: boot it without 'lockdown=confidentiality'";
    expect_with(probe, EPERM, true, &root, EVENT_DENIED, locked);
    expect_with(other(PERF_TYPE_TRACEPOINT), EPERM, true, &root, EVENT_DENIED, locked);
}

static void sandboxes(void **state)
{
    struct event faults = other(PERF_TYPE_SOFTWARE);
    struct caps caps = root;
    static const char filtered[] =
        "a seccomp filter forbids perf_event_open, although there is CAP_PERFMON, as profiles of "
        "Docker before 23 and Podman until 2025 do: start the container with '--security-opt "
        "seccomp=FILE', a profile that allows it, or 'seccomp=unconfined'";
    caps.seccomp = true;
    caps.refused = EPERM;
    caps.barred = true;
    expect_with(faults, EPERM, true, &caps, EVENT_DENIED, filtered);
    caps.perfmon = false;
    expect_with(faults, EPERM, true, &caps, EVENT_DENIED,
                "a seccomp filter forbids perf_event_open: start the container with '--pid=host "
                "--cap-add PERFMON' ('docker run' or 'podman run')");
    caps.perfmon = true;
    /* Software events do not work either. */
    caps.core_pmu = false;
    expect_with(hardware(PERF_TYPE_HARDWARE), EPERM, true, &caps, EVENT_DENIED, filtered);
    caps.refused = ENOSYS;
    expect_with(faults, ENOSYS, true, &caps, EVENT_DENIED, filtered);
    caps.seccomp = false;
    expect_with(faults, ENOSYS, true, &caps, EVENT_UNSUPPORTED,
                "this kernel has no perf_event_open (built without CONFIG_PERF_EVENTS, or a "
                "sandbox such as gVisor): use a kernel that has it");
    caps.refused = EPERM;
    expect_with(faults, EPERM, true, &caps, EVENT_DENIED,
                "perf_event_open fails for every event (Operation not permitted): a "
                "sandbox or a patch of the kernel forbids it; run countertop outside of it");

    /* The call gets through, and is refused in spite of all that we know. */
    caps = root;
    root_at("tests/data/arm");
    expect_with(faults, EPERM, true, &caps, EVENT_DENIED,
                "the kernel refuses although the permissions would do: a security module forbids "
                "it; allow perf_event_open there");
    caps = user;
    caps.paranoid = -1;
    caps.seccomp = true;
    caps.refused = EPERM; /* for its arguments: a filter can look at those, too */
    root_at("tests/data/hardened");
    expect_with(faults, EPERM, true, &caps, EVENT_DENIED,
                "the kernel refuses although the permissions would do: a seccomp filter or a "
                "security module (one of lockdown,capability,selinux) forbids it; allow "
                "perf_event_open there");
}

static void invalid(void **state)
{
    root_at("tests/data/intel");
    struct event precise = hardware(PERF_TYPE_HARDWARE), user_power = other(12);
    precise.attr.precise_ip = 2;
    user_power.attr.exclude_kernel = 1;
    expect_with(precise, EINVAL, true, &root, EVENT_INVALID,
                "precise events are for sampling, not for counting: leave the modifier p out");
    expect_with(user_power, EINVAL, true, &root, EVENT_INVALID,
                "its PMU cannot tell modes apart: count it without modifiers and in mode 'all'");
    struct caps unsplit = root;
    struct event in_user = hardware(PERF_TYPE_HARDWARE);
    in_user.attr.exclude_kernel = 1;
    unsplit.all_modes_only = true;
    expect_with(in_user, EINVAL, true, &unsplit, EVENT_INVALID,
                "its PMU cannot tell modes apart: count it without modifiers and in mode 'all'");
    expect_with(other(12), EINVAL, false, &root, EVENT_INVALID,
                "its PMU counts for whole CPUs, not for single tasks: use the engine 'cpu'");
    expect_with(hardware(PERF_TYPE_HW_CACHE), EINVAL, true, &root, EVENT_UNSUPPORTED,
                "this processor's PMU 'cpu' has no such event");
    struct event breakpoint = other(PERF_TYPE_BREAKPOINT), in_kernel = breakpoint;
    in_kernel.attr.bp_addr = UINT64_C(1) << 63;
    in_kernel.attr.exclude_kernel = 1;
    expect_with(breakpoint, EINVAL, true, &root, EVENT_INVALID,
                "the processor has no such breakpoint: use a length of 1, 2, 4 or 8 and an address "
                "that is a multiple of it");
    expect_with(in_kernel, EINVAL, true, &root, EVENT_INVALID,
                "a breakpoint on the kernel's memory cannot be counted in user mode: use '--mode "
                "all'");
    static const char refused[] = "the kernel refuses these settings of the event (EINVAL): "
                                  "compare its code and modifiers with its PMU's manual";
    expect_with(other(12), EINVAL, true, &root, EVENT_INVALID, refused);
    expect_with(hardware(PERF_TYPE_RAW), EINVAL, true, &root, EVENT_INVALID, refused);
    expect_with(other(PERF_TYPE_SOFTWARE), EINVAL, false, &root, EVENT_INVALID, refused);
}

static void used_up(void **state)
{
    struct event cycles = hardware(PERF_TYPE_HARDWARE), faults = other(PERF_TYPE_SOFTWARE);
    root_at("tests/data/novpmu");
    expect_with(cycles, EMFILE, false, &user, EVENT_NO_DESCRIPTOR,
                "all 1024 file descriptors of this process are in use: as root, raise the limit "
                "('prlimit --nofile=4096 countertop'), or count fewer events or tasks");
    expect_with(cycles, ENFILE, false, &user, EVENT_NO_DESCRIPTOR,
                "all file descriptors of the system are in use: as root, raise fs.file-max with "
                "sysctl");
    expect_with(cycles, EBUSY, true, &root, EVENT_NO_COUNTER,
                "another event has its PMU or counter for itself: end other profilers");
    expect_with(cycles, ENOSPC, true, &root, EVENT_NO_COUNTER,
                "no counter is free for it: end other profilers or count fewer events");
    expect_with(other(PERF_TYPE_BREAKPOINT), ENOSPC, true, &root, EVENT_NO_COUNTER,
                "all breakpoint registers of the processor are in use: end debuggers, or watch "
                "fewer addresses");
    root_at("tests/data/hardened");
    expect_with(cycles, ENFILE, false, &user, EVENT_NO_DESCRIPTOR,
                "all 1000 file descriptors of the system are in use: as root, run 'sysctl "
                "fs.file-max=2000'");
    expect_with(cycles, EBUSY, true, &root, EVENT_NO_COUNTER,
                "the NMI watchdog or another profiler holds its counter: as root, run 'sysctl "
                "kernel.nmi_watchdog=0', or end other profilers");
    expect_with(faults, EBUSY, true, &root, EVENT_NO_COUNTER,
                "another event has its PMU or counter for itself: end other profilers");
}

static void features(void **state)
{
    struct event cycles = hardware(PERF_TYPE_HARDWARE), precise = cycles, only_user = cycles,
                 probe = other(9);
    precise.attr.precise_ip = 1;
    only_user.attr.exclude_kernel = 1;
    probe.pmu = "uprobe";
    expect_with(cycles, EOPNOTSUPP, true, &root, EVENT_UNSUPPORTED,
                "the processor lacks what this event needs");
    expect_with(precise, EOPNOTSUPP, true, &root, EVENT_UNSUPPORTED,
                "this processor has no precise events: leave the modifier p out");
    expect_with(only_user, EOPNOTSUPP, true, &root, EVENT_UNSUPPORTED,
                "its PMU cannot count in these modes only: count it without modifiers and in mode "
                "'all'");
    expect_with(cycles, ENODEV, true, &root, EVENT_UNSUPPORTED,
                "the processor lacks what this event needs, its PMU is not on this CPU, or the CPU "
                "is offline");
    expect_with(cycles, E2BIG, true, &root, EVENT_INVALID,
                "this kernel is too old for the settings of the event: leave config3 out, or use a "
                "newer kernel");
    expect_with(cycles, EOVERFLOW, true, &root, EVENT_INVALID,
                "its records would be larger than the kernel allows: as root, raise "
                "kernel.perf_event_max_stack with sysctl");
    expect_with(cycles, ESRCH, false, &root, EVENT_INVALID,
                "the task has ended: watch another one");
    expect_with(cycles, EBADF, false, &root, EVENT_INVALID,
                "the cgroup is gone or is no cgroup: name a folder below /sys/fs/cgroup");
    expect_with(probe, EINTR, true, &root, EVENT_INVALID,
                "ftrace uses this probe: remove it from /sys/kernel/tracing/uprobe_events");
    expect_with(cycles, EINTR, true, &root, EVENT_INVALID,
                "a signal came while it was opened: add the event again");
    expect_with(cycles, EIO, false, &root, EVENT_INVALID,
                "perf_event_open failed: Input/output error");
}
