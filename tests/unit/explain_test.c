#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/mem.h"
#include "event/explain.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct caps user = {.paranoid = 2, .core_pmu = true, .descriptors = 1024};
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
    (void)state;
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
    (void)state;
    struct caps caps = user;
    struct event cycles = hardware(PERF_TYPE_HARDWARE), user_cycles = cycles;
    user_cycles.attr.exclude_kernel = 1;
    expect_with(cycles, EACCES, true, &caps, EVENT_DENIED,
                "counting all tasks of a CPU is not permitted (perf_event_paranoid is 2): as root, "
                "run 'sysctl kernel.perf_event_paranoid=0' or 'setcap cap_perfmon+ep' on "
                "countertop");
    expect_with(cycles, EACCES, false, &caps, EVENT_DENIED,
                "counting in kernel mode is not permitted (perf_event_paranoid is 2): as root, run "
                "'sysctl kernel.perf_event_paranoid=1' or 'setcap cap_perfmon+ep' on countertop, "
                "or use '--mode user'");
    static const char of_another[] =
        "not permitted: the task is another user's or has privileges of its own (as root, run "
        "'setcap cap_perfmon+ep' on countertop), or a container's seccomp filter forbids it";
    expect_with(user_cycles, EACCES, false, &caps, EVENT_DENIED, of_another);
    caps.paranoid = 1;
    expect_with(cycles, EACCES, false, &caps, EVENT_DENIED, of_another);
    caps.paranoid = 4;
    expect_with(user_cycles, EPERM, false, &caps, EVENT_DENIED,
                "counting is not permitted (perf_event_paranoid is 4): as root, run 'sysctl "
                "kernel.perf_event_paranoid=2' or 'setcap cap_perfmon+ep' on countertop");
    caps.paranoid = CAPS_PARANOID_UNKNOWN;
    expect_with(user_cycles, EACCES, true, &caps, EVENT_DENIED,
                "counting all tasks of a CPU is not permitted (perf_event_paranoid is not "
                "readable): as root, run 'sysctl kernel.perf_event_paranoid=0' or 'setcap "
                "cap_perfmon+ep' on countertop");
    static const char container[] =
        "the kernel refuses although the permissions would do: probably a container's seccomp "
        "filter or user namespace (allow perf_event_open and give the container CAP_PERFMON)";
    expect_with(cycles, EPERM, true, &root, EVENT_DENIED, container);
    caps = user;
    caps.paranoid = -1;
    expect_with(cycles, EPERM, true, &caps, EVENT_DENIED, container);
    caps.ptrace = true;
    expect_with(cycles, EPERM, false, &caps, EVENT_DENIED, container);
}

static void invalid(void **state)
{
    (void)state;
    root_at("tests/data/intel");
    struct event precise = hardware(PERF_TYPE_HARDWARE), user_power = other(12);
    precise.attr.precise_ip = 2;
    user_power.attr.exclude_kernel = 1;
    expect_with(precise, EINVAL, true, &root, EVENT_INVALID,
                "precise events are for sampling, not for counting: leave the modifier p out");
    expect_with(user_power, EINVAL, true, &root, EVENT_INVALID,
                "its PMU cannot tell modes apart: count it without modifiers and in mode 'all'");
    expect_with(other(12), EINVAL, false, &root, EVENT_INVALID,
                "its PMU counts for whole CPUs, not for single tasks: use the engine 'cpu'");
    expect_with(hardware(PERF_TYPE_HW_CACHE), EINVAL, true, &root, EVENT_UNSUPPORTED,
                "this processor's PMU 'cpu' has no such event");
    static const char refused[] = "the kernel refuses these settings of the event (EINVAL)";
    expect_with(other(12), EINVAL, true, &root, EVENT_INVALID, refused);
    expect_with(hardware(PERF_TYPE_RAW), EINVAL, true, &root, EVENT_INVALID, refused);
    expect_with(other(PERF_TYPE_SOFTWARE), EINVAL, false, &root, EVENT_INVALID, refused);
}

static void limits_and_features(void **state)
{
    (void)state;
    struct event cycles = hardware(PERF_TYPE_HARDWARE), precise = cycles, only_user = cycles;
    precise.attr.precise_ip = 1;
    only_user.attr.exclude_kernel = 1;
    expect_with(cycles, EMFILE, false, &user, EVENT_NO_DESCRIPTOR,
                "all 1024 file descriptors of this process are in use: raise the limit with "
                "'ulimit -n' before the start, or count fewer events or tasks");
    expect_with(cycles, ENFILE, false, &user, EVENT_NO_DESCRIPTOR,
                "all file descriptors of the system are in use: raise fs.file-max with sysctl");
    expect_with(cycles, EBUSY, true, &root, EVENT_NO_COUNTER,
                "another event has the PMU for itself: end other profilers");
    expect_with(cycles, ENOSPC, true, &root, EVENT_NO_COUNTER,
                "no counter is free for it: end other profilers or count fewer events");
    expect_with(cycles, EOPNOTSUPP, true, &root, EVENT_UNSUPPORTED,
                "the processor lacks what this event needs");
    expect_with(precise, EOPNOTSUPP, true, &root, EVENT_UNSUPPORTED,
                "this processor has no precise events: leave the modifier p out");
    expect_with(only_user, EOPNOTSUPP, true, &root, EVENT_UNSUPPORTED,
                "its PMU cannot count in these modes only: count it without modifiers and in mode "
                "'all'");
    expect_with(cycles, ENODEV, true, &root, EVENT_UNSUPPORTED,
                "the processor lacks what this event needs, or its PMU is not on this CPU");
    expect_with(cycles, ENOSYS, true, &root, EVENT_UNSUPPORTED,
                "this kernel has no perf_event_open (built without CONFIG_PERF_EVENTS, or a "
                "container's sandbox hides it)");
    expect_with(cycles, E2BIG, true, &root, EVENT_INVALID,
                "this kernel is too old for the settings of the event");
    expect_with(cycles, EOVERFLOW, true, &root, EVENT_INVALID,
                "its records would be larger than the kernel allows");
    expect_with(cycles, ESRCH, false, &root, EVENT_INVALID, "the task has ended");
    expect_with(cycles, EIO, false, &root, EVENT_INVALID,
                "perf_event_open failed: Input/output error");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_such_event),
        cmocka_unit_test(permission),
        cmocka_unit_test(invalid),
        cmocka_unit_test(limits_and_features),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
