#include "system/topology.h"
#include "unit/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

static void root_at(const char *path)
{
    setenv("COUNTERTOP_ROOT", path, 1);
}

static void online(void **state)
{
    static const int expected[] = {0, 1, 2, 3, 8};
    struct cpulist cpus;
    struct err err = {""};
    root_at("tests/data/intel");
    assert_int_equal(topology_online(&cpus, &err), 0);
    assert_int_equal(cpus.count, 5);
    assert_memory_equal(cpus.cpus, expected, sizeof(expected));
    cpulist_release(&cpus);
    root_at("tests/data/nowhere");
    assert_int_equal(topology_online(&cpus, &err), -1);
    assert_string_equal(err.text, "cannot read '/sys/devices/system/cpu/online': No such file or "
                                  "directory");
    assert_int_equal(cpus.count, 0);
}

/* Ids are separated by ';' in expected. */
static void expect_ids(const char *root, const char *expected, double ghz)
{
    struct names ids = {0};
    char joined[128] = "";
    root_at(root);
    topology_cpu_ids(&ids);
    for (size_t i = 0; i < ids.count; i++)
        snprintf(joined + strlen(joined), sizeof(joined) - strlen(joined), "%s%s", i ? ";" : "",
                 ids.items[i]);
    assert_string_equal(joined, expected);
    assert_true(topology_nominal_ghz() == ghz);
    names_release(&ids);
}

static void ids_and_nominal_clocks(void **state)
{
    expect_ids("tests/data/icelake", "GenuineIntel-6-CF", 2);
    expect_ids("tests/data/alderlake", "GenuineIntel-6-97-hybrid", 0);
    expect_ids("tests/data/zen5", "AuthenticAMD-26-2", 2.7);
    expect_ids("tests/data/arm", "0x413fd0c1 Neoverse-N1", 0);
    expect_ids("tests/data/neoverse", "0x413fd4f1 Neoverse-V2", 0);
    expect_ids("tests/data/biglittle", "0x412fd050 Cortex-A55;0x414fd0b0 Cortex-A76", 0);
    expect_ids("tests/data/firmware/board", "0x410fffe0", 0); /* a part that no one knows */
    expect_ids("tests/data/power9", "POWER9", 0);
    expect_ids("tests/data/nowhere", "", 0);
}

static void slots_of_a_cycle(void **state)
{
    root_at("tests/data/neoverse");
    assert_int_equal(topology_slots(), 8);
    root_at("tests/data/biglittle"); /* its PMUs do not say */
    assert_int_equal(topology_slots(), 0);
    root_at("tests/data/nowhere");
    assert_int_equal(topology_slots(), 0);
}

static void core_pmus(void **state)
{
    char name[64];
    root_at("tests/data/hybrid");
    assert_true(topology_is_core_pmu("cpu_core"));
    assert_true(topology_is_core_pmu("cpu_atom"));
    assert_false(topology_is_core_pmu("software"));
    assert_false(topology_is_core_pmu("../devices/cpu_atom"));
    assert_true(topology_core_pmu(name, sizeof(name)));
    assert_string_equal(name, "cpu_core");
    root_at("tests/data/intel");
    assert_true(topology_is_core_pmu("cpu"));
    assert_false(topology_is_core_pmu("uncore_imc_0"));
    assert_false(topology_is_core_pmu("msr"));
}

static void expect_place(const char *root, int cpu, int socket, int core, const char *type)
{
    struct topology_place place;
    root_at(root);
    assert_int_equal(topology_place(cpu, &place), 0);
    assert_int_equal(place.socket, socket);
    assert_int_equal(place.core, core);
    assert_string_equal(place.type, type);
}

static void places(void **state)
{
    struct topology_place place;
    expect_place("tests/data/hybrid", 1, 0, 0, "cpu_core");
    expect_place("tests/data/hybrid", 8, 0, 32, "cpu_atom");
    expect_place("tests/data/mixed", 0, 0, 0, "Neoverse-N1");
    expect_place("tests/data/mixed", 1, 1, 0, "Cortex-A53");
    expect_place("tests/data/mixed", 2, -1, 5, "cpu"); /* of a maker that no one knows */
    expect_place("tests/data/zen5", 0, -1, -1, "cpu");
    root_at("tests/data/hybrid");
    assert_int_equal(topology_place(2, &place), -1);
    assert_int_equal(place.socket, -1);
    assert_string_equal(place.type, "");
}
