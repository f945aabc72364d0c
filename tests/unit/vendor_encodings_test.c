#include "event/name.h"
#include "unit/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Names of other processors' events, as libpfm4's tables for them say. The codes are the
 * manufacturers': Intel's perfmon event files, AMD's processor programming references (PMCx...). */

struct foreign {
    const char *name;
    uint64_t config, config1;
};

/* libpfm4 reads which processor it is to think of once in a process: each gets one of its own.
 * Returns the index of the first event that is wrong, or their number. */
static size_t encode(const char *pmu, const struct foreign *events, size_t count)
{
    setenv("LIBPFM_FORCE_PMU", pmu, 1);
    for (size_t i = 0; i < count; i++) {
        struct event_list list = {0};
        if (event_parse(&list, events[i].name, MODE_ALL, NULL) != 0)
            return i;
        const struct event *event = &list.events[0];
        bool right = event->state == EVENT_COUNTED && event->attr.type == PERF_TYPE_RAW &&
                     event->attr.config == events[i].config &&
                     event->attr.config1 == events[i].config1 && event->hardware &&
                     strstr(event->encoding, pmu);
        event_list_release(&list);
        if (!right)
            return i;
    }
    return count;
}

static void expect(const char *pmu, const struct foreign *events, size_t count)
{
    int status;
    pid_t child = fork();
    if (child == 0)
        _exit((int)encode(pmu, events, count));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if ((size_t)WEXITSTATUS(status) != count)
        fail_msg("%s: '%s' is not 0x%llx", pmu, events[WEXITSTATUS(status)].name,
                 (unsigned long long)events[WEXITSTATUS(status)].config);
}

#if defined(__x86_64__)
static void intel(void **state)
{
    static const struct foreign skx[] = {
        {"MEM_LOAD_RETIRED:L3_MISS", 0x20d1, 0},
        {"skx::BR_MISP_RETIRED:ALL_BRANCHES", 0xc5, 0},
        {"L2_RQSTS:MISS:u", 0x3f24, 0},
        {"l2_rqsts.miss", 0x3f24, 0},
        {"CYCLE_ACTIVITY:STALLS_L3_MISS", 0x60006a3, 0},
        {"OFFCORE_RESPONSE_0:DMND_DATA_RD:L3_MISS", 0x1b7, 0x3f84000001},
    };
    static const struct foreign icl[] = {
        {"icl::MEM_LOAD_RETIRED:L3_MISS", 0x20d1, 0},
        {"L1D:REPLACEMENT", 0x151, 0},
        {"TOPDOWN:SLOTS_P", 0x1a4, 0},
        {"INST_RETIRED:PREC_DIST", 0x100, 0},
    };
    static const struct foreign spr[] = {
        {"MEM_LOAD_RETIRED:L3_MISS", 0x20d1, 0},
        {"EXE_ACTIVITY:BOUND_ON_LOADS", 0x50021a6, 0},
        {"spr::FRONTEND_RETIRED:DSB_MISS", 0x1c6, 0x11},
    };
    expect("skx", skx, sizeof(skx) / sizeof(*skx));
    expect("icl", icl, sizeof(icl) / sizeof(*icl));
    expect("spr", spr, sizeof(spr) / sizeof(*spr));
}

static void amd(void **state)
{
    static const struct foreign zen2[] = {
        {"RETIRED_INSTRUCTIONS:u", 0xc0, 0},
        {"RETIRED_BRANCH_INSTRUCTIONS_MISPREDICTED", 0xc3, 0},
        {"LS_DISPATCH:LD_DISPATCH", 0x129, 0},
        {"amd64_fam17h_zen2::L1_DTLB_MISS:TLB_RELOAD_4K_L2_MISS", 0x1045, 0},
    };
    static const struct foreign zen3[] = {
        {"RETIRED_OPS", 0xc1, 0},
        {"RETIRED_SSE_AVX_FLOPS:ANY", 0xf03, 0},
        {"LS_DISPATCH:LD_DISPATCH:k", 0x129, 0},
    };
    static const struct foreign zen4[] = {
        {"RETIRED_OPS", 0xc1, 0},
        {"amd64_fam19h_zen4::RETIRED_SSE_AVX_FLOPS:ADD_SUB_FLOPS", 0x103, 0},
        {"DISPATCH_RESOURCE_STALL_CYCLES_1:INT_PHY_REG_FILE_RSRC_STALL", 0x1ae, 0},
    };
    expect("amd64_fam17h_zen2", zen2, sizeof(zen2) / sizeof(*zen2));
    expect("amd64_fam19h_zen3", zen3, sizeof(zen3) / sizeof(*zen3));
    expect("amd64_fam19h_zen4", zen4, sizeof(zen4) / sizeof(*zen4));
}
#elif defined(__aarch64__)
static void arm(void **state)
{
    static const struct foreign n1[] = {{"INST_RETIRED", 0x8, 0}, {"STALL_BACKEND", 0x24, 0}};
    static const struct foreign v1[] = {{"arm_v1::L1D_CACHE_REFILL:u", 0x3, 0}};
    expect("arm_n1", n1, sizeof(n1) / sizeof(*n1));
    expect("arm_v1", v1, sizeof(v1) / sizeof(*v1));
}
#else
static void others(void **state)
{
    (void)expect;
    puts("skip: no event of this processor's libpfm4 is listed here");
    skip();
}
#endif

int main(void)
{
    setenv("COUNTERTOP_ROOT", "tests/data/intel", 1);
    const struct CMUnitTest tests[] = {
#if defined(__x86_64__)
        cmocka_unit_test(intel),
        cmocka_unit_test(amd),
#elif defined(__aarch64__)
        cmocka_unit_test(arm),
#else
        cmocka_unit_test(others),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
