#include "demo/workload_table.h"
#include "demo/judge.h"
#include "demo/loops.h"
#include "demo/rows.h"
#include "demo/rows_code.h"
#include "demo/rows_kernel.h"
#include "demo/works_kernel.h"
#include "demo/works_loop.h"

#include <math.h>
#include <string.h>

const char rows_siblings[] = "a busy SMT sibling, or a hypervisor that takes the CPU away";

static const char overcount[] = "some processors count an instruction for each interrupt";

static const char prefetch[] = "PMUs differ in whether loads of prefetchers count";

/* More events than any processor has counters; the kernel takes turns with them. */
#define SIX(a)                                                                                     \
    a "a=instructions:u," a "b=instructions:u," a "c=instructions:u," a "d=instructions:u," a      \
      "e=instructions:u," a "f=instructions:u"
static const char too_many[] = SIX("a") "," SIX("b") "," SIX("c") "," SIX("d");

static const struct workload rows_core[] = {
    {
        .name = "loop",
        .teaches = "retired instructions: the one count that is exact",
        .does = {"A loop of two instructions: a subtraction, and a",
                 "branch back while the result is not 0. In user mode",
                 "nothing else retires, but for a few at its ends."},
        .formula = "instructions = 2 x turns, branches = turns",
        .next = "p: where its time goes; K: in which mode it is counted",
        .turns = 5000000,
        .obstacle = work_needs_assembler,
        .parameter = WORK_COUNT,
        .run = work_loop,
        .threads = true,
        .checks = {{.what = "instructions",
                    .events = "instructions:u",
                    .engines = DEMO_BOTH,
                    .expected = 2,
                    .judge = judge_interrupted,
                    .causes = overcount},
                   {.what = "branches",
                    .events = "branches:u",
                    .engines = DEMO_TASK,
                    .expected = 1,
                    .judge = judge_interrupted,
                    .causes = overcount},
                   {.what = "cycles",
                    .events = "cycles:u,instructions:u",
                    .engines = DEMO_BOTH,
                    .processor = DEMO_FIXED,
                    .judge = judge_fixed_clock}},
    },
    {
        .name = "ipc1",
        .teaches = "dependence: a chain of additions runs one a cycle",
        .does = {"200 additions, each of which needs the result of the",
                 "one before: however many units a processor has, it",
                 "cannot begin the next one before this one is done."},
        .formula = "cycles = additions; IPC = 1.01",
        .next = "countertop --demo ipcmax: the same without dependence",
        .turns = 50000,
        .parameter = WORK_ADD,
        .run = work_loop,
        .threads = true,
        .checks = {{.what = "cycles/addition",
                    .events = "cycles:u",
                    .engines = DEMO_TASK,
                    .judge = judge_ratio,
                    .expected = 1,
                    .low = 0.98,
                    .high = 1.02,
                    .operations = LOOPS_ADDS,
                    .tries = 5,
                    .processor = DEMO_PIPELINE,
                    .causes = rows_siblings}},
    },
    {
        .name = "ipcmax",
        .teaches = "width: how many instructions retire in a cycle",
        .does = {"200 instructions that do nothing and need nothing:",
                 "they go through the processor as fast as its front",
                 "end can bring them and its back end can retire them."},
        .formula = "IPC = width of the processor, 2 to 16",
        .next = "countertop --demo ipc1: a chain in which each waits",
        .turns = 100000,
        .parameter = WORK_NOP,
        .run = work_loop,
        .threads = true,
        .checks = {{.what = "instructions/cycle",
                    .events = "instructions:u,cycles:u",
                    .engines = DEMO_TASK,
                    .judge = judge_ratio,
                    .expected = NAN,
                    .low = 1.8,
                    .high = 16,
                    .tries = 5,
                    .processor = DEMO_PIPELINE,
                    .causes = rows_siblings}},
    },
    {
        .name = "mul",
        .teaches = "latency: a multiplication takes some cycles",
        .does = {"64 multiplications of 64-bit numbers, each of which",
                 "needs the product before. A processor could do one a",
                 "cycle, but each takes three (on some Arm cores 4 or 5)."},
        .formula = "cycles = 3 x multiplications",
        .next = "countertop --demo divider: what is not pipelined",
        .turns = 50000,
        .parameter = WORK_MUL,
        .run = work_loop,
        .threads = true,
#if defined __x86_64__
        .checks = {{.what = "cycles/multiplication",
                    .events = "cycles:u",
                    .engines = DEMO_TASK,
                    .judge = judge_ratio,
                    .expected = 3,
                    .low = 2.91,
                    .high = 3.09,
                    .operations = LOOPS_MULS,
                    .tries = 5,
                    .processor = DEMO_PIPELINE,
                    .causes = rows_siblings}},
#else
        .checks = {CYCLES("multiplication", 1.9, 5.2, LOOPS_MULS)},
#endif
    },
    {
        .name = "divider",
        .teaches = "the divider: slow, and not pipelined",
        .does = {"16 divisions of 32-bit numbers, a chain again: each",
                 "takes several times as long as a multiplication, and",
                 "always the same, as the numbers are the same."},
        .formula = "cycles = a constant x divisions",
        .next = "countertop --demo mul: a chain of multiplications",
        .turns = 50000,
        .parameter = WORK_DIV,
        .run = work_loop,
        .threads = true,
        .checks = {CYCLES("division", 3.9, 45, LOOPS_DIVS)},
    },
    {
        .name = "branch-random",
        .teaches = "branch prediction: chance cannot be predicted",
        .does = {"Reads random bits, and branches on each. A megabyte of",
                 "them is too long to be learnt, so half of the branches",
                 "go the other way than predicted, at 10 to 20 cycles."},
        .formula = "branch-misses = turns x part that is random / 2",
        .next = "fewer random branches: misses fall, and turns get quicker",
        .turns = 1 << 20,
        .prepare = work_prepare_branches,
        .run = work_branches,
        .threads = true,
        .knob = {"random branches", "%", .start = 100, .most = 100, .step = 10},
        .checks = {{.what = "misses/turn",
                    .events = "branch-misses:u",
                    .engines = DEMO_TASK,
                    .judge = judge_branches,
                    .low = 0.0115,
                    .high = 0.0115,
                    .operations = 1,
                    .causes = "PMUs that count speculative mispredictions, too, show more"}},
    },
    {
        .name = "branch-sorted",
        .teaches = "branch prediction: what repeats costs nothing",
        .does = {"The loop of branch-random, with the same number of",
                 "instructions for a turn, on bits that are all 0: after",
                 "a few turns the processor knows each branch before."},
        .formula = "branch-misses = about 0",
        .next = "some random branches: each turn gets slower",
        .turns = 1 << 20,
        .prepare = work_prepare_branches,
        .run = work_branches,
        .threads = true,
        .knob = {"random branches", "%", .start = 0, .most = 100, .step = 10},
        .checks = {{.what = "misses/turn",
                    .events = "branch-misses:u",
                    .engines = DEMO_TASK,
                    .judge = judge_branches,
                    .low = 0,
                    .high = 0.001,
                    .operations = 1}},
    },
    {
        .name = "turns",
        .teaches = "multiplexing: more events than counters take turns",
        .does = {"The loop again, with its instructions counted by 24",
                 "events: more than there are counters. Each is counted",
                 "for a part of the time, and scaled: an estimate."},
        .formula = "each = instructions = 2 x turns, about",
        .next = "x removes an event: when all fit on the counters, no ~ is left",
        .milliseconds = 100,
        .obstacle = work_needs_assembler,
        .parameter = WORK_COUNT,
        .run = work_loop,
        .threads = true,
        .checks = {{.what = "instructions, scaled",
                    .events = too_many,
                    .engines = DEMO_TASK,
                    .tries = 3,
                    .scaled = true,
                    .expected = 2,
                    .low = 1.8,
                    .high = 2.2,
                    .operations = 1,
                    .judge = judge_ratio,
                    .causes = "an estimate: work that changes with the turns errs more"}},
    },
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

const struct workload *workload_nth(size_t i)
{
    static const struct workload *const groups[] = {rows_core, rows_kernel, rows_code};
    for (size_t g = 0; g < sizeof(groups) / sizeof(*groups); g++)
        for (const struct workload *workload = groups[g]; workload->name; workload++)
            if (i-- == 0)
                return workload;
    return NULL;
}

const char *workload_name(void *ctx, size_t i)
{
    const struct workload *workload = workload_nth(i);
    (void)ctx;
    return workload ? workload->name : NULL;
}

const struct workload *workload_find(const char *name)
{
    const struct workload *workload;
    for (size_t i = 0; (workload = workload_nth(i)); i++)
        if (strcmp(workload->name, name) == 0)
            return workload;
    return NULL;
}
