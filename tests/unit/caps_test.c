#include "base/str.h"
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

/* The level of perf_event_paranoid there, what is allowed, and what is in the way. */
static void expect_caps(const char *root, int paranoid, const char *expected)
{
    struct caps caps = read_at(root);
    const struct {
        const char *name;
        bool is;
    } facts[] = {
        {"system-wide", caps_system_wide(&caps)},
        {"kernel", caps_kernel(&caps)},
        {"perfmon", caps.perfmon},
        {"admin", caps.admin},
        {"ptrace", caps.ptrace},
        {"core-pmu", caps.core_pmu},
        {"hypervisor", caps.hypervisor},
        {"namespaced", caps.namespaced},
        {"seccomp", caps.seccomp},
        {"no-new-privs", caps.no_new_privs},
        {"old-kernel", caps.old_kernel},
        {"hidden", caps.hidden},
    };
    AUTO_STR struct str text = str_new();
    for (size_t i = 0; i < sizeof(facts) / sizeof(*facts); i++)
        if (facts[i].is)
            str_printf(&text, "%s%s", text.length ? " " : "", facts[i].name);
    assert_int_equal(caps.paranoid, paranoid);
    assert_int_equal(caps.refused, 0);
    assert_string_equal(text.text, expected);
}

static void machines(void **state)
{
    expect_caps("tests/data/intel", 2, "core-pmu");
    expect_caps("tests/data/arm", -1, "system-wide kernel perfmon core-pmu hypervisor");
    expect_caps("tests/data/novpmu", 1, "system-wide kernel perfmon admin ptrace hypervisor");
    expect_caps("tests/data/nowhere", CAPS_PARANOID_UNKNOWN, "");
    /* A container in a user namespace on an old kernel, with all that can be in the way: its
     * capabilities are of that namespace, where ptrace counts for its tasks. */
    expect_caps("tests/data/hardened", 4,
                "ptrace core-pmu namespaced seccomp no-new-privs old-kernel hidden");
    /* seccomp's strict mode is not a filter, and of two /proc the one mounted last is on top. */
    expect_caps("tests/data/opened", -1, "system-wide kernel perfmon");
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
