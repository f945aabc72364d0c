#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "system/caps.h"

#include <stdlib.h>
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
    (void)state;
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
    (void)state;
    struct caps caps = read_at("tests/data/arm");
    assert_int_equal(caps.paranoid, -1);
    assert_true(caps.perfmon);
    assert_false(caps.ptrace);
    assert_true(caps.hypervisor);
    assert_true(caps.core_pmu);
}

static void x86_guest_with_sys_admin(void **state)
{
    (void)state;
    struct caps caps = read_at("tests/data/novpmu");
    assert_int_equal(caps.paranoid, 1);
    assert_true(caps.perfmon);
    assert_true(caps.ptrace);
    assert_true(caps.hypervisor);
    assert_false(caps.core_pmu);
}

static void nothing_is_readable(void **state)
{
    (void)state;
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
    (void)state;
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
    (void)state;
    for (int paranoid = -1; paranoid <= 4; paranoid++) {
        struct caps caps = {.paranoid = paranoid};
        assert_int_equal(caps_system_wide(&caps), paranoid <= 0);
        assert_int_equal(caps_kernel(&caps), paranoid <= 1);
        caps.perfmon = true;
        assert_true(caps_system_wide(&caps));
        assert_true(caps_kernel(&caps));
    }
}

static void descriptors(void **state)
{
    (void)state;
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    limit.rlim_cur = 321;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    assert_int_equal(read_at("tests/data/intel").descriptors, 321);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_user),
        cmocka_unit_test(arm_guest_with_perfmon),
        cmocka_unit_test(x86_guest_with_sys_admin),
        cmocka_unit_test(nothing_is_readable),
        cmocka_unit_test(hypervisors),
        cmocka_unit_test(what_paranoid_allows),
        cmocka_unit_test(descriptors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
