#include "system/caps.h"
#include "unit/test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static struct caps read_at(const char *path)
{
    struct caps caps;
    setenv("COUNTERTOP_ROOT", path, 1);
    caps_read(&caps);
    return caps;
}

static void plain_user(void **state)
{
    struct caps caps = read_at("tests/data/intel");
    assert_int_equal(caps.paranoid, 2);
    assert_false(caps.perfmon);
    assert_false(caps.ptrace);
    assert_false(caps.hypervisor);
    assert_true(caps.core_pmu);
    assert_false(caps_system_wide(&caps));
    assert_false(caps_kernel(&caps));
}

static void arm_guest_with_perfmon(void **state)
{
    struct caps caps = read_at("tests/data/arm");
    assert_int_equal(caps.paranoid, -1);
    assert_true(caps.perfmon);
    assert_false(caps.ptrace);
    assert_true(caps.hypervisor);
    assert_true(caps.core_pmu);
}

static void x86_guest_with_sys_admin(void **state)
{
    struct caps caps = read_at("tests/data/novpmu");
    assert_int_equal(caps.paranoid, 1);
    assert_true(caps.perfmon);
    assert_true(caps.ptrace);
    assert_true(caps.hypervisor);
    assert_false(caps.core_pmu);
}

static void nothing_is_readable(void **state)
{
    struct caps caps = read_at("tests/data/nowhere");
    assert_int_equal(caps.paranoid, CAPS_PARANOID_UNKNOWN);
    assert_false(caps.perfmon);
    assert_false(caps.ptrace);
    assert_false(caps.hypervisor);
    assert_false(caps.core_pmu);
    assert_false(caps_system_wide(&caps));
    assert_false(caps_kernel(&caps));
}

static void hypervisors(void **state)
{
    static const struct {
        const char *path;
        bool hypervisor;
    } machines[] = {
        {"tests/data/firmware/ec2", true},    {"tests/data/firmware/ec2-metal", false},
        {"tests/data/firmware/hyperv", true}, {"tests/data/firmware/surface", false},
        {"tests/data/firmware/xen", true},    {"tests/data/firmware/device-tree", true},
        {"tests/data/firmware/board", false},
    };
    for (size_t i = 0; i < sizeof(machines) / sizeof(*machines); i++)
        assert_int_equal(read_at(machines[i].path).hypervisor, machines[i].hypervisor);
}

static void what_paranoid_allows(void **state)
{
    for (int paranoid = -1; paranoid <= 4; paranoid++) {
        struct caps caps = {.paranoid = paranoid};
        assert_int_equal(caps_system_wide(&caps), paranoid <= 0);
        assert_int_equal(caps_kernel(&caps), paranoid <= 1);
        caps.perfmon = true;
        assert_true(caps_system_wide(&caps));
        assert_true(caps_kernel(&caps));
    }
}

/* A container in a user namespace on an old kernel, with all that can be in the way. */
static void hardened(void **state)
{
    struct caps caps = read_at("tests/data/hardened");
    assert_int_equal(caps.paranoid, 4);
    assert_true(caps.namespaced);
    assert_false(caps.perfmon); /* there, but of that namespace */
    assert_false(caps.admin);
    assert_true(caps.ptrace); /* counts for the tasks of the namespace */
    assert_true(caps.seccomp);
    assert_true(caps.no_new_privs);
    assert_true(caps.old_kernel);
    assert_true(caps.hidden);
    assert_int_equal(caps.refused, 0);
    assert_false(caps_system_wide(&caps));
}

static void opened(void **state)
{
    struct caps caps = read_at("tests/data/opened");
    assert_int_equal(caps.paranoid, -1);
    assert_false(caps.namespaced);
    assert_true(caps.perfmon);
    assert_false(caps.admin);
    assert_false(caps.ptrace);
    assert_false(caps.seccomp); /* the strict mode is not a filter */
    assert_false(caps.no_new_privs);
    assert_false(caps.old_kernel);
    assert_false(caps.hidden); /* what is mounted last is on top */
}

static void obstacles(void **state)
{
    static const struct {
        struct caps caps;
        const char *text;
    } cases[] = {
        {{.paranoid = -1}, "perf_event_paranoid is -1"},
        {{.paranoid = CAPS_PARANOID_UNKNOWN}, "perf_event_paranoid is not readable"},
        {{.paranoid = 2, .namespaced = true},
         "perf_event_paranoid is 2, and capabilities of a user namespace do not count"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        char text[128];
        caps_obstacle(&cases[i].caps, text, sizeof(text));
        assert_string_equal(text, cases[i].text);
    }
}

static void descriptors(void **state)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    limit.rlim_cur = 321;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    assert_int_equal(read_at("tests/data/intel").descriptors, 321);
}

static void expect_program(const char *path, size_t size, const char *expected)
{
    char text[64];
    caps_program(path, text, size);
    assert_string_equal(text, expected);
}

/* What a shell makes the path of again. */
static void program(void **state)
{
    expect_program("/usr/local/bin/countertop-0.1_x+y", 64, "/usr/local/bin/countertop-0.1_x+y");
    expect_program("/home/a b/it's $1;*", 64, "/home/a\\ b/it\\'s\\ \\$1\\;\\*");
    expect_program("/h\xc3\xb6me/c", 64, "/h\xc3\xb6me/c");
    /* Nothing that a terminal would obey, and no half of a path. */
    expect_program("/tmp/\033[1m/c", 64, "countertop");
    expect_program("/tmp/a\nb", 64, "countertop");
    expect_program("/0123456789", 12, "countertop");
    expect_program("", 64, "countertop");
    struct caps caps = read_at("tests/data/intel");
    assert_non_null(strstr(caps.program, "/caps_test"));
}
