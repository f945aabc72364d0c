/* Loops of workloads do what they say, and what is summed up for checks of the whole machine. */
#include <stdio.h>

#include "demo/loops.h"
#include "demo/verify.h"
#include "demo/workload.h"
#include "engine/probe_open.h"
#include "unit/test.h"

/* The same sum, whichever instructions. */
static void sums(void **state)
{
    enum { TURNS = 3 };
    static uint32_t numbers[LOOPS_NUMBERS] __attribute__((aligned(16)));
    uint32_t expected = 0;
    for (uint32_t i = 0; i < LOOPS_NUMBERS; i++)
        expected += TURNS * (numbers[i] = i * 0x9e3779b9);
    assert_int_equal(loops_sum(numbers, false, TURNS), expected);
    assert_int_equal(loops_sum(numbers, true, TURNS), expected);
}

/* Each size of code returns, after any number of turns. */
static void code(void **state)
{
    for (size_t bytes = LOOPS_CODE_MIN; bytes <= LOOPS_CODE_MAX; bytes *= 2)
        for (uint64_t turns = 1; turns <= LOOPS_CODE_MAX / LOOPS_CODE_MIN; turns *= 2)
            loops_code(bytes, turns);
}

static void stream(void **state)
{
    enum { NUMBERS = 16 };
    uint64_t all[3][NUMBERS] = {{0}};
    struct loops_arrays arrays = {all[0], all[1], all[2], sizeof(all[0])};
    for (uint64_t i = 0; i < NUMBERS; i++) {
        all[1][i] = i;
        all[2][i] = 100 * i;
    }
    assert_int_equal(loops_stream(&arrays, 64, 1), 0);
    for (uint64_t i = 0; i < NUMBERS; i++)
        assert_int_equal(all[0][i], i < LOOPS_STREAM ? 0 : 101 * i);
    assert_int_equal(loops_stream(&arrays, 0, 3), 64);
    for (uint64_t i = 0; i < NUMBERS; i++)
        assert_int_equal(all[0][i], 101 * i);
}

static void front_end(void **state)
{
    struct workload_list *list = workload_list_new();
    const struct demo_check *check = &workload_find(list, "frontend")->checks[2];
    struct demo_difference difference = {.turns = 1, .counts = {3, 10}, .value = LOOPS_CODE_MAX};
    struct demo_result result;
    workload_judge(check, &difference, &result);
    assert_true(result.measured == 0.3 && result.low == 0.1 && result.high == 1);
    difference.value = 1024; /* a small loop */
    workload_judge(check, &difference, &result);
    assert_true(result.low == 0 && result.high == 0.1);
    workload_list_free(list);
}

static void take_result(void *ctx, const struct demo_result *result)
{
    struct demo_result *last = ctx;
    *last = *result;
}

/* Of all events, of all tasks: here each page fault counts twice, and others have some in the
 * longer run or in the shorter one. */
static void machine(void **state)
{
    static const struct verify_pace pace = {.add = 1, .nop = 0.2, .mul = 3};
    struct workload_list *list = workload_list_new();
    struct workload workload = *workload_find(list, "faults");
    struct demo_result result;
    struct caps caps;
    workload.checks[0] = (struct demo_check){.what = "all",
                                             .events = "page-faults,minor-faults",
                                             .engines = DEMO_LEDGER,
                                             .machine = true,
                                             .low = 2,
                                             .high = 4,
                                             .operations = 1,
                                             .tries = 50};
    workload.checks[1].what = NULL;
    workload.turns = 1 << 12;
    probe_open_caps(&caps);
    verify_workload(&workload, &caps, &pace, take_result, &result);
    if (result.verdict == DEMO_TOO_NOISY)
        puts("skip: in 50 tries others had more page faults than the workload");
    if (result.verdict == DEMO_NOT_MEASURABLE || result.verdict == DEMO_TOO_NOISY)
        skip();
    assert_int_equal(result.verdict, DEMO_PASS);
    workload_list_free(list);
}
