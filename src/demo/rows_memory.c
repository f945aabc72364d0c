#include "demo/rows_memory.h"
#include "demo/judge.h"
#include "demo/loops.h"
#include "demo/rows.h"
#include "demo/works_kernel.h"
#include "demo/works_loop.h"

#include <math.h>

static const char prefetch[] = "PMUs differ in whether loads of prefetchers count";

const struct workload rows_memory[] = {
#define CHASE(level, text, rest, cycles_low, cycles_high)                                          \
    .teaches = "caches: " text,                                                                    \
    .does = {"Follows pointers through all lines of a piece of",                                   \
             "memory, in random order: each load needs the one", rest},                            \
    .formula = "L1 misses = loads x (1 - L1 / memory) at least",                                   \
    .next = "more memory, past each level of the caches: loads get slower", .turns = 20000,        \
    .parameter = (level), .obstacle = work_needs_caches, .prepare = work_prepare_chase,            \
    .run = work_chase,                                                                             \
    .knob = {"memory", "B", .find_start = work_chase_size, .least = 1 << 12,                       \
             .most = WORK_CHASE_MOST},                                                             \
    .checks = {CYCLES("load", cycles_low, cycles_high, LOOPS_LOADS),                               \
               {.what = "L1 misses/load",                                                          \
                .events = "L1-dcache-load-misses:u",                                               \
                .engines = DEMO_TASK,                                                              \
                .judge = judge_cache_misses,                                                       \
                .operations = LOOPS_LOADS,                                                         \
                .causes = prefetch}}
    {
        .name = "chase-l1",
        CHASE(1, "the first level", "before. This piece is half as large as the L1.", 2.9, 6.5),
    },
    {
        .name = "chase-l2",
        CHASE(2, "the second level", "before. This piece is half as large as the L2.", 7, 45),
    },
    {
        .name = "chase-l3",
        CHASE(3, "the last level", "before. This piece is half as large as the L3.", 20, 400),
    },
    {
        .name = "chase-dram",
        CHASE(WORK_MEMORY, "memory behind them", "before. This piece is twice the last level's.",
              60, 3000),
    },
    {
        .name = "tlb",
        .teaches = "page walks: addresses have to be translated",
        .does = {"Follows pointers through 32,768 pages, one line of",
                 "each, in random order: more pages than a TLB knows, so",
                 "nearly each load needs a walk through the page tables."},
        .formula = "dTLB-load-misses = 7/8 of the loads at least",
        .next = "fewer pages, until the TLB knows all of them",
        .turns = 100000,
        .parameter = 0,
        .prepare = work_prepare_pages,
        .run = work_chase,
        .knob = {"pages", "", .start = 1 << 15, .least = 1 << 4, .most = 1 << 17},
        .checks = {{.what = "misses/load",
                    .events = "dTLB-load-misses:u",
                    .engines = DEMO_TASK,
                    .judge = judge_ratio,
                    .expected = 1,
                    .low = 0.875 * 0.9,
                    .high = 1.1,
                    .operations = LOOPS_LOADS,
                    .causes = "a TLB with more than 4,096 entries"}},
    },
    {
        .name = "forward",
        .teaches = "store forwarding: a load gets what was just stored",
        .does = {"Stores 8 bytes and loads them again at once: the",
                 "processor hands the value from the store to the load",
                 "without waiting until it is in the cache."},
        .formula = "cycles a turn: a few",
        .next = "countertop --demo forward-fail: where it does not work",
        .turns = 1000000,
        .parameter = WORK_FORWARD,
        .run = work_loop,
        .threads = true,
        .checks = {CYCLES("turn", 0.9, 9, 1)},
    },
    {
        .name = "forward-fail",
        .teaches = "store forwarding that fails: the load has to wait",
        .does = {"Stores 4 bytes twice and loads all 8: no single store",
                 "has what the load wants, so it waits until both are",
                 "in the cache, which takes several times as long."},
        .formula = "cycles a turn: 10 to 50",
        .next = "countertop --demo forward: where it works",
        .turns = 1000000,
        .parameter = WORK_FORWARD_SPLIT,
        .run = work_loop,
        .threads = true,
        .checks = {CYCLES("turn", 8, 60, 1)},
    },
    {
        .name = "share",
        .teaches = "coherence: two CPUs that want the same line",
        .does = {"Two threads on two CPUs add to numbers of their own",
                 "that are in one line of the caches: the line travels",
                 "to and fro, and each waits for it (false sharing)."},
        .formula = "cycles a turn: many times those of share-not",
        .next = "numbers that are further apart, until each has its line",
        .turns = 200000,
        .obstacle = work_needs_two_cpus,
        .prepare = work_prepare_sharing,
        .run = work_share,
        .knob = {"bytes between the numbers", "", .start = 8, .least = 8, .most = 1024},
        .checks = {CYCLES("addition", 40, 4000, 1)},
    },
    {
        .name = "share-not",
        .teaches = "coherence: the same with a line for each",
        .does = {"The same two threads, whose numbers are in different",
                 "lines: each CPU keeps its own, and none has to wait.",
                 "Compare its time with that of share."},
        .formula = "cycles a turn: a few tens",
        .next = "numbers that are nearer, until they share a line",
        .turns = 200000,
        .obstacle = work_needs_two_cpus,
        .prepare = work_prepare_sharing,
        .run = work_share,
        .knob = {"bytes between the numbers", "", .start = 256, .least = 8, .most = 1024},
        .checks = {CYCLES("addition", 1, 40, 1)},
    },
    {0},
};
