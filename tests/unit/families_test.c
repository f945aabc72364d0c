/* The formulas of built-in screens for families of processors: known results for known counts. That
 * their events can be encoded there: tests/outside/vendors.t. */
#include "cli/definitions.h"
#include "event/pmu.h"
#include "metric/eval.h"
#include "unit/test.h"

#include "unit/handmade.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

struct family {
    const char *name; /* by which the machine is known: system/topology.h; or libpfm4's table */
    const char *root; /* of its sysfs, in tests/data */
};

static const struct family families[] = {
    {"GenuineIntel-6-3F", "icelake"},
    {"GenuineIntel-6-5E", "icelake"},
    {"GenuineIntel-6-55", "icelake"},
    {"GenuineIntel-6-7E", "icelake"},
    {"GenuineIntel-6-6A", "icelake"},
    {"GenuineIntel-6-8F", "icelake"},
    {"GenuineIntel-6-AD", "icelake"},
    {"GenuineIntel-6-BE", "icelake"},
    {"GenuineIntel-6-AF", "icelake"},
    {"GenuineIntel-6-97-hybrid", "alderlake"},
    {"GenuineIntel-6-AA-hybrid", "alderlake"},
    {"AuthenticAMD-23-1", "zen5"},
    {"AuthenticAMD-23-31", "zen5"},
    {"AuthenticAMD-25-1", "zen5"},
    {"AuthenticAMD-25-11", "zen5"},
    {"AuthenticAMD-26-2", "zen5"},
    {"amd_umc_0", "zen5"},
    {"uncore_imc", "icelake"},
    {"uncore_imc_free_running_0", "icelake"},
    {"0x410fd083 Cortex-A72", "neoverse"},
    {"0x414fd0b1 Cortex-A76", "neoverse"},
    {"0x413fd0c1 Neoverse-N1", "neoverse"},
    {"0x410fd490 Neoverse-N2", "neoverse"},
    {"0x6d0fd490 Azure-Cobalt-100", "neoverse"},
    {"0x411fd401 Neoverse-V1", "neoverse"},
    {"0x410fd4f1 Neoverse-V2", "neoverse"},
    {"POWER9", "power9"},
};

enum { FAMILIES = sizeof(families) / sizeof(*families) };

/* The library as it is loaded on that processor, without files of a user. */
static void load(struct definitions *definitions, const struct family *family)
{
    struct err err = {""};
    char root[512];
    snprintf(root, sizeof(root), "%s/tests/data/%s", getenv("TOP"), family->root);
    setenv("COUNTERTOP_ROOT", root, 1);
    setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
    /* A table without events: names are found by what else is known. */
    setenv("LIBPFM_FORCE_PMU", "perf", 1);
    definitions_init(definitions);
    struct names pmus;
    pmu_list(&pmus);
    for (size_t i = 0; i < pmus.count; i++)
        machine_add(&definitions->machine, pmus.items[i]);
    names_release(&pmus);
    machine_add(&definitions->machine, family->name);
    definitions_load(definitions, &err);
    assert_string_equal(err.text, "");
}

/* libpfm4 is told once in a process what machine it is on: each family has one of its own. A check
 * that fails there goes back to the list of tests, in which there is nothing left to do then. */
static void in_a_process(const struct family *family,
                         void (*check)(const struct definitions *definitions,
                                       const struct family *family))
{
    static bool inside;
    if (inside)
        return;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        struct definitions definitions;
        inside = true;
        dup2(STDERR_FILENO, STDOUT_FILENO);
        load(&definitions, family);
        check(&definitions, family);
        definitions_release(&definitions);
        _exit(0);
    }
    int status = -1;
    waitpid(pid, &status, 0);
    if (status != 0)
        fail_msg("%s", family->name);
}

struct known {
    const char *family;
    const char *metric; /* with ~ an estimate: its whole does not add up */
    const char *counts; /* "name=count name=count" */
    double expected;
};

#define SKYLAKE "cycles=1000 r019c=800 r010e=2400 r02c2=2000 r010d=50"
#define ICELAKE                                                                                    \
    "slots=6000 topdown-retiring=3000 topdown-bad-spec=600 topdown-fe-bound=900 "                  \
    "topdown-be-bound=1500 topdown-mem-bound=900 topdown-fetch-lat=600 r100d=60 r10ad=60 "         \
    "r104010d=12"
#define HYBRID                                                                                     \
    "cpu_core/slots/=6000 cpu_core/r8000/=3000 cpu_core/r8100/=600 cpu_core/r8200/=900 "           \
    "cpu_core/r8300/=1500 cpu_core/r10ad/=60 cpu_atom/r3c/=400 cpu_atom/r71/=500 "                 \
    "cpu_atom/r74/=700 cpu_atom/rc2/=600 cpu_atom/r72/=600 cpu_atom/r73/=100"
#define ZEN                                                                                        \
    "cycles=1000 r1000001a0=1200 r100001ea0=600 r1000060a0=240 r07aa=3600 rc1=3000 "               \
    "r1060001a0=100 r1080001a0=100 ra2d6=300 r02d6=400"
#define FILLS "r0144=500 r0244=300 r1444=100 r0844=60 r4044=40"
#define ARM                                                                                        \
    "cycles=1000 stall_slot=4000 stall_slot_frontend=2000 stall_slot_backend=2000 op_retired=900 " \
    "op_spec=1000 br_mis_pred=10 r8162=10"
#define ARM5                                                                                       \
    "cycles=1000 stall_slot=3000 stall_slot_frontend=2000 stall_slot_backend=1000 op_retired=900 " \
    "op_spec=1000 br_mis_pred=10 r8162=10"
#define FP "cycles=1000 r03c7=100 r04c7=50 r18c7=25 r60c7=10 r80c7=5"

/* By the formulas that the files of screens cite. */
static const struct known known[] = {
    {"GenuineIntel-6-55", "td_frontend_pct", SKYLAKE, 20},
    {"GenuineIntel-6-6A", "td_backend_pct", ICELAKE, 26},
    {"GenuineIntel-6-8F", "td_memory_pct", ICELAKE, 15},
    {"GenuineIntel-6-97-hybrid", "td_frontend_pct", HYBRID, 100 * 1340 / 8000.0},
    {"GenuineIntel-6-AA-hybrid", "~td_bad_spec_pct", HYBRID, 100 * 760 / 8400.0},
    {"GenuineIntel-6-97-hybrid", "llc_mpki",
     "instructions=1000 cpu_core/r20d1/=3 cpu_atom/r80d1/=2", 5},
    {"GenuineIntel-6-AA-hybrid", "llc_mpki",
     "instructions=1000 cpu_core/r20d1/=3 cpu_atom/r80d1/=6 cpu_atom/r1cd1/=4", 5},
    {"GenuineIntel-6-BE", "td_bad_spec_pct", "cycles=1000 r71=1000 r74=1500 rc2=2000", 10},
    {"GenuineIntel-6-AF", "~td_backend_pct", "cycles=1000 r71=1000 r74=1500 r72=2000 r73=300", 25},
    {"AuthenticAMD-25-11", "~td_frontend_pct", ZEN, 20},
    {"AuthenticAMD-25-11", "td_bad_spec_pct", "cycles=1000 r07aa=2990 rc1=3000", 0},
    {"AuthenticAMD-25-11", "~td_smt_pct", ZEN, 4},
    {"AuthenticAMD-26-2", "~td_frontend_pct", ZEN, 15},
    {"AuthenticAMD-25-1", "fills_far_memory_pct", FILLS, 4},
    {"AuthenticAMD-26-2", "fills_per_s", FILLS, 500},
    {"Neoverse-V2", "td_frontend_pct", ARM, 24},
    {"0x410fd490 Neoverse-N2", "td_frontend_pct", ARM5, 19},
    {"Azure-Cobalt-100", "td_frontend_pct", ARM5, 19},
    {"Neoverse-V1", "flops", "r80c0=100 r80c1=50", 125},
    {"Neoverse-V2", "flops", "r80c0=100 r80c1=50", 75},
    {"GenuineIntel-6-8F", "flops_per_cycle", FP, 0.46},
    {"GenuineIntel-6-8F", "fp_vector_pct", FP, 100 * 360 / 460.0},
    {"GenuineIntel-6-5E", "flops_per_cycle", "cycles=1000 r03c7=100 r04c7=50 r18c7=25 r20c7=10",
     0.38},
    {"GenuineIntel-6-8F", "half_flops_per_cycle",
     "cycles=1000 r01cf=1 r02cf=1 r04cf=1 r08cf=1 r10cf=1", 0.059},
    {"GenuineIntel-6-55", "memory_read_rate", "r20d1=100", 3200},
    {"GenuineIntel-6-8F", "memory_read_rate", "cpu/r012a,config1=0x73c004477/=100", 3200},
    {"GenuineIntel-6-55", "memory_parallelism", "r0148=600 r1000148=200", 3},
    {"GenuineIntel-6-7E", "dtlb_mpki", "instructions=1000 r0e08=3 r0e49=1", 4},
    {"GenuineIntel-6-8F", "dtlb_mpki", "instructions=1000 r0e12=3 r0e13=1", 4},
    {"GenuineIntel-6-55", "uops_wasted_pct", "r010e=1000 r02c2=900", 10},
    {"GenuineIntel-6-55", "uops_wasted_pct", "r010e=1000 r02c2=1001", 0},
    {"GenuineIntel-6-8F", "socket_read",
     "uncore_imc_0/cas_count_read/=1000000000 uncore_imc_11/cas_count_read/=500000000", 48},
    {"GenuineIntel-6-3F", "socket_memory",
     "uncore_imc_0/cas_count_read/=1000000000 uncore_imc_0/cas_count_write/=250000000", 40},
    {"GenuineIntel-6-AD", "socket_write",
     "uncore_imc_0/event=0x05,umask=0xf0/=1000000000 "
     "uncore_imc_1/event=0x05,umask=0xf0/=1000000000 "
     "uncore_imc_0/event=0x06,umask=0xf0/=250000000 uncore_imc_1/event=0x06,umask=0xf0/=250000000",
     80},
    {"uncore_imc_free_running_0", "socket_memory",
     "uncore_imc_free_running_0/data_read/=600000000 "
     "uncore_imc_free_running_0/data_write/=100000000 "
     "uncore_imc_free_running_1/data_read/=200000000 "
     "uncore_imc_free_running_1/data_write/=100000000",
     32},
    {"uncore_imc", "socket_write", "uncore_imc/data_writes/=500000000", 16},
    {"amd_umc_0", "socket_read",
     "amd_umc_0/event=0x0a,rdwrmask=0x1/=1000000000 amd_umc_1/event=0x0a,rdwrmask=0x1/=2000000000",
     96},
    {"AuthenticAMD-23-31", "llc_read_miss_pct", "r0243=300 r5843=100", 25},
    {"AuthenticAMD-25-1", "llc_read_miss_pct", "r0243=300 r5c43=100", 25},
    {"AuthenticAMD-23-31", "l1_itlb_mpki", "instructions=1000 r84=2 r0785=1", 3},
    {"AuthenticAMD-25-1", "l1_itlb_mpki", "instructions=1000 r84=2 r0f85=1", 3},
    {"AuthenticAMD-25-1", "frontend_stall_pct", "cycles=1000 ra9=100", 10},
    {"AuthenticAMD-25-1", "memory_read_rate", "r4844=100", 3200},
    {"AuthenticAMD-25-1", "cache_miss_pct", "r0964=100 rff64=1000", 10},
    {"AuthenticAMD-23-1", "flops", "rff03=1000", 500},
    {"AuthenticAMD-25-11", "flops", "r1f03=1000", 500},
    {"AuthenticAMD-26-2", "flops", "r0f03=1000", 500},
    {"Cortex-A72", "l1d_write_miss_pct", "r41=200 r43=10", 5},
    {"Cortex-A72", "branch_miss_pct", "r10=10 r12=200", 5},
    {"Cortex-A76", "branch_miss_pct", "r22=10 r21=200", 5},
    {"Neoverse-N1", "llc_mpki", "instructions=1000 ll_cache_miss_rd=7", 7},
    {"Neoverse-N1", "simd_pct", "inst_spec=1000 r74=250", 25},
    {"POWER9", "cache_mpki", "instructions=1000 cache-misses=7", 7},
    {"Neoverse-V1", "simd_pct", "inst_spec=1000 r74=250 r8006=50", 30},
};

static const struct known *wanted; /* what the process is to check */

/* In an interval of two seconds, one of them on a CPU. */
static void check_formula(const struct definitions *definitions, const struct family *family)
{
    (void)family;
    char text[512], *names[16], *rest = text;
    uint64_t counts[16];
    size_t count = 0;
    snprintf(text, sizeof(text), "%s", wanted->counts);
    for (char *word; (word = strsep(&rest, " ")); count++) {
        char *equals = strrchr(word, '=');
        *equals = '\0';
        names[count] = word;
        counts[count] = strtoull(equals + 1, NULL, 10);
    }
    struct frame *frame = handmade_frame(handmade_set(count, (const char *const *)names));
    frame->interval = 2;
    struct row *row = handmade_process(frame, 1, "one", 1, counts);
    bool estimate = wanted->metric[0] == '~';
    const struct metric *metric =
        metric_set_find(&definitions->metric_set, wanted->metric + estimate);
    assert_non_null(metric);
    struct value value = eval_row(metric->expr, frame, row);
    assert_int_equal(value.state, estimate ? VALUE_SCALED : VALUE_COUNTED);
    assert_float_equal(value.number, wanted->expected, 1e-9 * wanted->expected);
    frame_free(frame);
}

static void formulas(void **state)
{
    for (size_t k = 0; k < sizeof(known) / sizeof(*known); k++) {
        size_t f = 0;
        while (f < FAMILIES && !strstr(families[f].name, known[k].family))
            f++;
        assert_true(f < FAMILIES);
        wanted = &known[k];
        in_a_process(&families[f], check_formula);
    }
}
