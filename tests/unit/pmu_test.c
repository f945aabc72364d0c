#include "event/pmu.h"
#include "system/topology.h"
#include "unit/test.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int setup(void **state)
{
    return setenv("COUNTERTOP_ROOT", "tests/data/intel", 1);
}

static void expect(const char *pmu, const char *terms, uint32_t type, uint64_t config,
                   uint64_t config1)
{
    struct perf_event_attr attr = {0},
                           expected = {.type = type, .config = config, .config1 = config1};
    struct err err = {""};
    int result = pmu_encode(pmu, terms, &attr, &err);
    assert_string_equal(err.text, "");
    assert_int_equal(result, 0);
    assert_int_equal(attr.config, config);
    assert_memory_equal(&attr, &expected, sizeof(attr));
}

static void expect_refused(const char *pmu, const char *terms)
{
    struct perf_event_attr attr = {.type = 77, .config = 78}, before = attr;
    struct err err = {""};
    assert_int_equal(pmu_encode(pmu, terms, &attr, &err), -1);
    assert_string_not_equal(err.text, "");
    assert_memory_equal(&attr, &before, sizeof(attr));
    assert_int_equal(pmu_encode(pmu, terms, &attr, NULL), -1);
}

static void types(void **state)
{
    uint32_t type;
    assert_true(pmu_type("cpu", &type));
    assert_int_equal(type, 4);
    assert_true(pmu_type("uncore_imc_0", &type));
    assert_int_equal(type, 15);
    assert_false(pmu_type("nosuch", &type));
    assert_false(pmu_type("", &type));
    assert_false(pmu_type(".", &type));
    assert_false(pmu_type("..", &type));
    assert_false(pmu_type("../devices/cpu", &type));
    assert_int_equal(type, 15);
}

static void wrong_terms(void **state)
{
    static const char *const terms[] = {
        "",           "event=1,",  "=1",      "event=",         "event=0x",
        "event=-1",   "event=1=2", "umsak=1", "instructions=1", "../events/instructions",
        "event=0x100"};
    for (size_t i = 0; i < sizeof(terms) / sizeof(*terms); i++)
        expect_refused("cpu", terms[i]);
    expect_refused("nosuch", "event=1");
    expect_refused("msr", "event=18446744073709551616");
    expect_refused("msr", "event=0x10000000000000000");
    expect_refused("power", "energy-pkg.unit");
    char text[5000];
    memset(text, 'a', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    expect_refused("cpu", text);
}

static void hostile_files(void **state)
{
    setenv("COUNTERTOP_ROOT", "tests/data/hostile", 1);
    static const char *const terms[] = {"wide=1",  "huge=1", "back=1",  "other=1",
                                        "empty=1", "junk=1", "comma=1", "loop",
                                        "unknown", "blank",  "big",     "asks"};
    for (size_t i = 0; i < sizeof(terms) / sizeof(*terms); i++)
        expect_refused("cpu", terms[i]);
    /* Bits are filled from the lowest, in whatever order the ranges stand. */
    expect("cpu", "split=0x1ff", 4, 0x1000000ff, 0);
    expect("cpu", "plain", 4, 0x1000000ff, 0);
    expect("cpu", "asks,event=5", 4, 5, 0);
    uint32_t type;
    assert_false(pmu_type("bad_type", &type));
    assert_false(pmu_type("negative", &type));
    assert_false(pmu_type("large", &type));
}

/* perf stat -vv -e cpu/TERMS/ on a machine with these files gives the same. */
static void terms(void **state)
{
    expect("cpu", "event=0xc0", 4, 0xc0, 0);
    expect("cpu", "event=192", 4, 0xc0, 0);
    expect("cpu", "event=0xc0,umask=0x1", 4, 0x1c0, 0);
    expect("cpu", "umask=1,event=0xc0", 4, 0x1c0, 0);
    expect("cpu", "event=0xd0,inv,edge,cmask=0x10", 4, 0x108400d0, 0);
    expect("cpu", "event=1,event=2", 4, 2, 0);
    expect("cpu", "edge=0", 4, 0, 0);
    expect("cpu", "config=0x1234,config1=5", 4, 0x1234, 5);
    expect("cpu", "config=0xffffffffffffffff,umask=0", 4, 0xffffffffffff00ff, 0);
    expect("cpu", "offcore_rsp=0x3fbfc00001,event=0xb7,umask=1", 4, 0x1b7, 0x3fbfc00001);
    expect("cpu", "in_tx", 4, UINT64_C(1) << 32, 0);
    expect("cpu", "r1a2", 4, 0x1a2, 0);
    expect("msr", "event=18446744073709551615", 10, UINT64_MAX, 0);
}
