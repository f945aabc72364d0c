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

static void expect_error(const char *pmu, const char *terms, const char *message)
{
    struct perf_event_attr attr = {.type = 77, .config = 78}, before = attr;
    struct err err = {""};
    assert_int_equal(pmu_encode(pmu, terms, &attr, &err), -1);
    assert_string_equal(err.text, message);
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
    expect_error("nosuch", "event=1",
                 "unknown PMU 'nosuch': /sys/bus/event_source/devices has "
                 "none of that name");
    expect_error("cpu", "", "empty term of PMU 'cpu': expected term=value or an event's name");
    expect_error("cpu", "event=1,",
                 "empty term of PMU 'cpu': expected term=value or an event's "
                 "name");
    expect_error("cpu", "=1", "empty term of PMU 'cpu': expected term=value or an event's name");
    expect_error("cpu", "event=",
                 "bad value '' of term 'event': expected a number such as 7 or "
                 "0x1f");
    expect_error("cpu", "event=0x",
                 "bad value '0x' of term 'event': expected a number such as 7 "
                 "or 0x1f");
    expect_error("cpu", "event=-1",
                 "bad value '-1' of term 'event': expected a number such as 7 "
                 "or 0x1f");
    expect_error("cpu", "event=1=2",
                 "bad value '1=2' of term 'event': expected a number such as 7 "
                 "or 0x1f");
    expect_error("cpu", "event=0x100",
                 "value '0x100' of term 'event' is too large: PMU 'cpu' has "
                 "8 bits for it");
    expect_error("msr", "event=18446744073709551616",
                 "bad value '18446744073709551616' of term 'event': expected a number such as 7 or "
                 "0x1f");
    expect_error("msr", "event=0x10000000000000000",
                 "bad value '0x10000000000000000' of term 'event': expected a number such as 7 or "
                 "0x1f");
    expect_error("cpu", "umsak=1",
                 "unknown term 'umsak' of PMU 'cpu': expected names from "
                 "/sys/bus/event_source/devices/cpu/events or format; nearest is "
                 "'umask'");
    expect_error("cpu", "instructions=1",
                 "unknown term 'instructions' of PMU 'cpu': expected names from "
                 "/sys/bus/event_source/devices/cpu/events or format; nearest is 'instructions'");
    expect_error("cpu", "../events/instructions",
                 "unknown term '../events/instructions' of PMU 'cpu': expected names from "
                 "/sys/bus/event_source/devices/cpu/events or format");
    expect_error("power", "energy-pkg.unit",
                 "unknown term 'energy-pkg.unit' of PMU 'power': expected names from "
                 "/sys/bus/event_source/devices/power/events or format; nearest is 'energy-pkg'");
    char text[5000];
    memset(text, 'a', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    expect_error("cpu", text, "the terms of PMU 'cpu' are too long");
}

static void hostile_files(void **state)
{
    setenv("COUNTERTOP_ROOT", "tests/data/hostile", 1);
    static const char *const formats[][2] = {
        {"wide", "config:0-64"},
        {"huge", "config:99999999999999999999-3"},
        {"back", "config:7-0"},
        {"other", "config9:0-7"},
        {"empty", ""},
        {"junk", "config:0-7 and more"},
        {"comma", "config:0-7,"},
    };
    for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
        char terms_text[64], message[200];
        snprintf(terms_text, sizeof(terms_text), "%s=1", formats[i][0]);
        snprintf(message, sizeof(message), "cannot use term '%s': PMU 'cpu' describes it as '%s'",
                 formats[i][0], formats[i][1]);
        expect_error("cpu", terms_text, message);
    }
    /* Bits are filled from the lowest, in whatever order the ranges stand. */
    expect("cpu", "split=0x1ff", 4, 0x1000000ff, 0);
    expect("cpu", "plain", 4, 0x1000000ff, 0);
    expect_error("cpu", "loop",
                 "cannot use an event of PMU 'cpu': its term 'loop' is not in "
                 "/sys/bus/event_source/devices/cpu/format");
    expect_error("cpu", "unknown",
                 "cannot use an event of PMU 'cpu': its term 'nosuch' is not in "
                 "/sys/bus/event_source/devices/cpu/format");
    expect_error("cpu", "blank",
                 "cannot use an event of PMU 'cpu': its term '' is not in "
                 "/sys/bus/event_source/devices/cpu/format");
    expect_error("cpu", "big",
                 "bad value '0x1ffffffffffffffffff' of term 'event': expected a "
                 "number such as 7 or 0x1f");
    expect_error("cpu", "asks", "an event of PMU 'cpu' needs the term 'event=NUMBER'");
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
