#include "demo/workload_table.h"
#include "demo/judge.h"
#include "demo/loops.h"
#include "demo/rows.h"
#include "demo/rows_code.h"
#include "demo/rows_kernel.h"
#include "demo/rows_memory.h"
#include "demo/works_loop.h"

#include <math.h>
#include <string.h>

const char rows_siblings[] = "a busy SMT sibling, or a hypervisor that takes the CPU away";

static const char overcount[] = "some processors count an instruction for each interrupt";

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
    {0},
};

const struct workload *workload_nth(size_t i)
{
    static const struct workload *const groups[] = {rows_core, rows_memory, rows_kernel, rows_code};
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
