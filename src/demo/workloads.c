#include "demo/workload.h"
#include "demo/loops.h"
#include "demo/works.h"

#include <math.h>
#include <string.h>

/* Causes of deviations. */
static const char overcount[] = "some processors count an instruction for each interrupt";
static const char siblings[] = "a busy SMT sibling, or a hypervisor that takes the CPU away";

/* A check: its title, its events, the engines that count them, and the other members. */
#define CHECK(title, event, engine, ...)                                                           \
    {                                                                                              \
        .what = (title), .events = event, .engines = (engine), __VA_ARGS__                         \
    }

#define INSTRUCTIONS(a_turn)                                                                       \
    CHECK("instructions", "instructions:u", DEMO_TASK, .expected = (a_turn),                       \
          .judge = judge_interrupted, .causes = overcount)

#define CYCLES(of, from, to, count)                                                                \
    CHECK("cycles/" of, "cycles:u", DEMO_TASK, .judge = judge_ratio, .expected = NAN,              \
          .low = (from), .high = (to), .operations = (count), .tries = 5,                          \
          .processor = DEMO_PIPELINE, .causes = siblings)

/* What the front end did not deliver, a cycle. */
#define FRONT_END(name, event, least, most)                                                        \
    CHECK((name), event ",cycles:u", DEMO_TASK, .judge = judge_front_end, .expected = NAN,         \
          .low = (least), .high = (most), .tries = 5, .processor = DEMO_PIPELINE,                  \
          .causes = siblings)

/* More events than any processor has counters; the kernel takes turns with them. */
#define SIX(a)                                                                                     \
    a "a=instructions:u," a "b=instructions:u," a "c=instructions:u," a "d=instructions:u," a      \
      "e=instructions:u," a "f=instructions:u"
static const char too_many[] = SIX("a") "," SIX("b") "," SIX("c") "," SIX("d");

static const char prefetch[] = "PMUs differ in whether loads of prefetchers count";

/* A load from that far behind the place where it waits. */
#define ALIAS(behind)                                                                              \
    .turns = 1000000, .obstacle = work_needs_assembler, .prepare = work_prepare_alias,             \
    .run = work_alias, .threads = true,                                                            \
    .knob = {"bytes behind it", "", .start = (behind), .most = 256, .step = 64}

/* Loads that waited for a store to another address; on some processors a load that waits is tried,
 * and counted, several times. */
#define BLOCKED(name, event, least, most)                                                          \
    CHECK("blocked/turn, " name, event, DEMO_TASK, .judge = judge_ratio, .expected = NAN,          \
          .low = (least), .high = (most), .operations = 1)

/* What the memory controllers of all sockets move, lines of 64 bytes: three a turn, or four. The
 * event of AMD is umc_cas_cmd.all of perf's event files (amdzen4/memory-controller.json). */
#define LINES(name, event)                                                                         \
    CHECK((name), event, DEMO_LEDGER, .machine = true, .judge = judge_ratio, .expected = NAN,      \
          .low = 3 * 0.95, .high = 4 * 1.05, .operations = 1, .tries = 5, .excused = true,         \
          .causes = "others use the memory, too")

/* Who touches a page that the kernel moves (compaction) has a fault that is no first touch. */
#define MOVED "the kernel moved pages"

/* The second one stays 0: counts that change places are seen. */
static const char faults[] = "page-faults,major-faults";

/* A function's share of the samples of all that are called alike. */
#define SHARE(event, kind, name, part_of_it, its_part)                                             \
    CHECK(name, event, DEMO_TASK, .code = (kind), .function = name, .expected = (part_of_it),      \
          .part = (its_part), .tries = 3, .judge = judge_share)

/* In the order of --demo list: about instructions, latencies, branches and the counters themselves;
 * about caches, page tables and shared lines; of which the kernel keeps count; for the view of
 * functions. */
static const struct workload workloads[] = {
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
        .checks = {CHECK("instructions", "instructions:u", DEMO_BOTH, .expected = 2,
                         .judge = judge_interrupted, .causes = overcount),
                   CHECK("branches", "branches:u", DEMO_TASK, .expected = 1,
                         .judge = judge_interrupted, .causes = overcount),
                   CHECK("cycles", "cycles:u,instructions:u", DEMO_BOTH, .processor = DEMO_FIXED,
                         .judge = judge_fixed_clock)},
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
        .checks = {CHECK("cycles/addition", "cycles:u", DEMO_TASK, .judge = judge_ratio,
                         .expected = 1, .low = 0.98, .high = 1.02, .operations = LOOPS_ADDS,
                         .tries = 5, .processor = DEMO_PIPELINE, .causes = siblings)},
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
        .checks = {CHECK("instructions/cycle", "instructions:u,cycles:u", DEMO_TASK,
                         .judge = judge_ratio, .expected = NAN, .low = 1.8, .high = 16, .tries = 5,
                         .processor = DEMO_PIPELINE, .causes = siblings)},
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
        .checks = {CHECK("cycles/multiplication", "cycles:u", DEMO_TASK, .judge = judge_ratio,
                         .expected = 3, .low = 2.91, .high = 3.09, .operations = LOOPS_MULS,
                         .tries = 5, .processor = DEMO_PIPELINE, .causes = siblings)},
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
        .name = "scalar",
        .teaches = "scalar instructions: a number at a time",
        .does = {"Adds up 128 numbers of 32 bits, each with a load and",
                 "an addition of its own. Two sums take turns, so that",
                 "an addition does not wait for the one before it."},
        .formula = "instructions = 258 x turns: 2 for each number, 2 for the loop",
        .next = "countertop --demo vector: the same sum, four numbers at a time",
        .turns = 100000,
        .obstacle = work_needs_assembler,
        .parameter = WORK_SCALAR,
        .run = work_loop,
        .threads = true,
        .checks = {INSTRUCTIONS(LOOPS_SCALAR_INSTRUCTIONS),
                   CYCLES("number", 0.2, 2, LOOPS_NUMBERS)},
    },
    {
        .name = "vector",
        .teaches = "vectors: one instruction for several numbers",
        .does = {"The sum of scalar by instructions that load and add",
                 "four numbers of 32 bits at once (SSE2; Arm: NEON): a",
                 "quarter of the instructions, for the same result."},
        .formula = "instructions = 66 x turns: 2 for four numbers, 2 for the loop",
        .next = "countertop --demo scalar: about four times the instructions and time",
        .turns = 100000,
        .obstacle = work_needs_assembler,
        .parameter = WORK_VECTOR,
        .run = work_loop,
        .threads = true,
        .checks = {INSTRUCTIONS(LOOPS_VECTOR_INSTRUCTIONS),
                   CYCLES("number", 0.03, 1, LOOPS_NUMBERS)},
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
        .checks = {CHECK("misses/turn", "branch-misses:u", DEMO_TASK, .judge = judge_branches,
                         .low = 0.0115, .high = 0.0115, .operations = 1,
                         .causes = "PMUs that count speculative mispredictions, too, show more")},
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
        .checks = {CHECK("misses/turn", "branch-misses:u", DEMO_TASK, .judge = judge_branches,
                         .low = 0, .high = 0.001, .operations = 1)},
    },
    {
        .name = "frontend",
        .teaches = "the front end: code has to be fetched and decoded",
        .does = {"A quarter of a megabyte of instructions that do nothing,",
                 "one after the other: more than the caches of code and of",
                 "decoded instructions hold, so each comes from further away."},
        .formula = "instructions = 63 x turns, in whatever size of code",
        .next = "less code, until the caches hold it: a turn gets several times quicker",
        .turns = 100000,
        .obstacle = work_needs_assembler,
        .parameter = WORK_CODE,
        .run = work_loop,
        .threads = true,
        .knob = {"code", "B", .start = LOOPS_CODE_MAX, .least = LOOPS_CODE_MIN,
                 .most = LOOPS_CODE_MAX},
        .checks = {INSTRUCTIONS(LOOPS_CODE_INSTRUCTIONS), CYCLES("turn", 4, 1000, 1),
                   FRONT_END("empty cycles/cycle", "stalled-cycles-frontend:u", 0.1, 1),
                   FRONT_END("slots/cycle, Intel", "idq_uops_not_delivered.core:u", 0.4, 8),
                   FRONT_END("slots/cycle, AMD", "de_no_dispatch_per_slot.no_ops_from_frontend:u",
                             0.6, 8)},
    },
    {
        .name = "turns",
        .teaches = "multiplexing: more events than counters take turns",
        .does = {"The loop again, with its instructions counted by 24",
                 "events: more than there are counters. Each is counted",
                 "for a part of the time, and scaled: an estimate."},
        .formula = "each = instructions = 2 x turns, about",
        .next = "phases in the kernel: what a turn caught is not what it missed, and scaling errs",
        .milliseconds = 100,
        .obstacle = work_needs_assembler,
        .run = work_phases,
        .threads = true,
        .knob = {"phases", "ms", .most = 100, .step = 5},
        .checks = {CHECK("instructions, scaled", too_many, DEMO_TASK, .tries = 3, .scaled = true,
                         .expected = 2, .low = 1.8, .high = 2.2, .operations = 1,
                         .judge = judge_ratio,
                         .causes = "an estimate: work that changes with the turns errs more")},
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
             .most = WORK_CHASE_MAX},                                                              \
    .checks = {CYCLES("load", cycles_low, cycles_high, LOOPS_LOADS),                               \
               CHECK("L1 misses/load", "L1-dcache-load-misses:u", DEMO_TASK,                       \
                     .judge = judge_cache_misses, .operations = LOOPS_LOADS, .causes = prefetch)}
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
        .turns = 20000,
        .parameter = 0,
        .prepare = work_prepare_pages,
        .run = work_chase,
        .knob = {"pages", "", .start = 1 << 15, .least = 1 << 4, .most = 1 << 17},
        .checks = {CHECK("misses/load", "dTLB-load-misses:u", DEMO_TASK, .judge = judge_ratio,
                         .expected = 1, .low = 0.875 * 0.9, .high = 1.1, .operations = LOOPS_LOADS,
                         .causes = "a TLB with more than 4,096 entries"),
                   CYCLES("load", 4, 6000, LOOPS_LOADS)},
    },
    {
        .name = "tlb-huge",
        .teaches = "huge pages: one translation for two megabytes",
        .does = {"The loads of tlb, a line in each of 8,192 pages, and",
                 "the advice to use huge pages: 17 of these hold all of",
                 "it, so the TLB knows them, and nothing is walked."},
        .formula = "dTLB-load-misses = about 0",
        .next = "countertop --demo tlb: the same with small pages",
        .turns = 20000,
        .parameter = 1,
        .obstacle = work_needs_huge_pages,
        .prepare = work_prepare_pages,
        .run = work_chase,
        .knob = {"pages", "", .start = 1 << 13, .least = 1 << 4, .most = 1 << 17},
        .checks = {CHECK("misses/load", "dTLB-load-misses:u", DEMO_TASK, .judge = judge_ratio,
                         .high = 0.1, .operations = LOOPS_LOADS, .excused = true,
                         .causes = "no huge page is free: memory is fragmented"),
                   CYCLES("load", 3, 1000, LOOPS_LOADS)},
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
        .name = "alias4k",
        .teaches = "4 KiB aliasing: addresses whose last 12 bits are the same",
        .does = {"Stores a number, and loads one from the same place in",
                 "another page. Processors compare some bits of addresses",
                 "first (Intel 12), take the two for one, and wait."},
        .formula = "instructions = 4 x turns; blocked loads = turns, on Intel",
        .next = "another place in the page: turns get quicker, by the same instructions",
        ALIAS(0),
        .checks = {INSTRUCTIONS(LOOPS_ALIAS_INSTRUCTIONS), CYCLES("turn", 0.8, 80, 1),
                   BLOCKED("until ICL", "ld_blocks_partial.address_alias:u", 0.9, 3),
                   BLOCKED("from ADL", "ld_blocks.address_alias:u", 0.9, 3)},
    },
    {
        .name = "alias4k-not",
        .teaches = "4 KiB aliasing: the same with another place in the page",
        .does = {"The loop of alias4k with a load from 64 bytes further",
                 "on: in the last 12 bits the addresses differ, so that",
                 "no load waits for the store. Compare the time of a turn."},
        .formula = "instructions = 4 x turns; blocked loads = 0",
        .next = "the same place in the page: the same instructions take longer",
        ALIAS(64),
        .checks = {INSTRUCTIONS(LOOPS_ALIAS_INSTRUCTIONS), CYCLES("turn", 0.3, 7, 1),
                   BLOCKED("until ICL", "ld_blocks_partial.address_alias:u", 0, 0.05),
                   BLOCKED("from ADL", "ld_blocks.address_alias:u", 0, 0.05)},
    },
    {
        .name = "stream",
        .teaches = "bandwidth: bytes that memory moves in a second",
        .does = {"Adds two arrays into a third one, which are together",
                 "three times as large as the last cache: each sum moves",
                 "24 bytes, or 32 if the cache fetches what is stored to."},
        .formula = "instructions = 39 x turns; bandwidth = 192 (or 256) B / a turn's time",
        .next = "smaller arrays, until caches hold them: a turn gets quicker",
        .turns = 1 << 17,
        .obstacle = work_needs_stream,
        .prepare = work_prepare_stream,
        .run = work_stream,
        .knob = {"an array", "B", .find_start = work_stream_size, .least = 1 << 12,
                 .most = WORK_STREAM_MAX},
        .checks = {INSTRUCTIONS(LOOPS_STREAM_INSTRUCTIONS), CYCLES("turn", 8, 3000, 1),
                   LINES("lines/turn, Intel",
                         "uncore_imc/cas_count_read/,uncore_imc/cas_count_write/"),
                   LINES("lines/turn, AMD", "amd_umc/event=0x0a/")},
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
    {
        .name = "faults",
        .teaches = "page faults: memory comes when it is touched",
        .does = {"Asks for memory, writes a byte into each page of it,",
                 "and gives it back. The kernel finds a page at the",
                 "first touch: that is a page fault, and no other is."},
        .formula = "page-faults = turns",
        .next = "e major-faults: what comes from a disk; countertop --demo faults-huge",
        .turns = 1024,
        .parameter = 0,
        .run = work_faults,
        .threads = true,
        .checks = {CHECK("page-faults", faults, DEMO_BOTH, .expected = 1, .operations = 1,
                         .tries = 3, .judge = judge_faults, .causes = MOVED),
                   CHECK("minor-faults", "minor-faults", DEMO_TASK, .expected = 1, .operations = 1,
                         .tries = 3, .judge = judge_faults,
                         .causes = MOVED ", or memory was swapped out")},
    },
    {
        .name = "faults-huge",
        .teaches = "huge pages: one fault in place of 512",
        .does = {"The same, with the advice to use huge pages: the first",
                 "touch brings 512 pages at once, and the others find",
                 "memory. Where it is fragmented there are more faults."},
        .formula = "page-faults = turns / 512, less than turns / 2",
        .next = "countertop --demo faults: a fault for each page",
        .turns = 8192,
        .together = 512,
        .parameter = 1,
        .obstacle = work_needs_huge_pages,
        .run = work_faults,
        .threads = true,
        .checks = {CHECK("page-faults", faults, DEMO_TASK, .judge = judge_huge_faults, .tries = 3,
                         .excused = true,
                         .causes = "memory is fragmented: no huge page is free, or " MOVED)},
    },
    {
        .name = "pingpong",
        .teaches = "context switches: two threads that wait for each other",
        .does = {"Two threads on one CPU hand a byte to and fro: each",
                 "waits for the other, so each turn takes two context",
                 "switches, and more only if others want the CPU, too."},
        .formula = "context-switches = 2 x turns",
        .next = "s waits: who sleeps, and how long; H: both threads",
        .turns = 500,
        .parameter = 0,
        .prepare = work_prepare_pingpong,
        .run = work_pingpong,
        .checks = {CHECK("context-switches", "context-switches", DEMO_BOTH, .expected = 2,
                         .judge = judge_switches,
                         .causes = "switches that others cause count, too")},
    },
    {
        .name = "owners",
        .teaches = "who did it: each count goes to the thread it is of",
        .does = {"The two threads of pingpong, and at each turn the",
                 "first one touches one new page, the second one three.",
                 "One record lost, and a page goes to the wrong thread."},
        .formula = "page-faults: turns, and 3 x turns",
        .next = "H: one row for both threads; E: which engine counts",
        .turns = 250,
        .parameter = 1,
        .prepare = work_prepare_pingpong,
        .run = work_pingpong,
        .checks = {CHECK("page-faults of 1st", faults, DEMO_BOTH, .thread = 1,
                         .expected = WORK_PAGES_FIRST,
                         .operations = WORK_PAGES_FIRST + WORK_PAGES_SECOND, .judge = judge_faults),
                   CHECK("page-faults of 2nd", faults, DEMO_BOTH, .thread = 2,
                         .expected = WORK_PAGES_SECOND,
                         .operations = WORK_PAGES_FIRST + WORK_PAGES_SECOND, .judge = judge_faults),
                   CHECK("tasks = CPUs", "page-faults", DEMO_LEDGER, .books = true,
                         .judge = judge_books)},
    },
    {
        .name = "migrate",
        .teaches = "migrations: a thread that moves between CPUs",
        .does = {"Asks to be moved to another CPU and back, over and",
                 "over. Each request is one migration, and caches and",
                 "predictors there know nothing of what it did here."},
        .formula = "cpu-migrations = turns",
        .next = "e page-faults: a migration costs none; v: the CPUs",
        .turns = 500,
        .together = 2,
        .obstacle = work_needs_two_cpus,
        .run = work_migrate,
        .checks = {CHECK("cpu-migrations", "cpu-migrations", DEMO_TASK, .expected = 1,
                         .judge = judge_exact)},
    },
    {
        .name = "syscalls",
        .teaches = "tracepoints: a count of any place in the kernel",
        .does = {"Asks the kernel for the pid of its parent, over and",
                 "over. A tracepoint at the entry of all system calls",
                 "counts each, and none that it does not make."},
        .formula = "raw_syscalls:sys_enter = turns",
        .next = "e syscalls:sys_enter_getppid: this one alone",
        .turns = 5000,
        .run = work_calls,
        .threads = true,
        .checks = {CHECK("raw_syscalls:sys_enter", "raw_syscalls:sys_enter", DEMO_BOTH,
                         .expected = 1, .judge = judge_exact)},
    },
    {
        .name = "clock",
        .teaches = "CPU time: what the scheduler says, and what is counted",
        .does = {"Computes until its own CPU time says that it is",
                 "enough. The clock of perf must say the same, however",
                 "many others want the CPU meanwhile."},
        .formula = "task-clock = its own CPU time",
        .next = "%CPU of its row says the same; more threads add up",
        .turns = 50000,
        .together = 1000,
        .run = work_clock,
        .threads = true,
        .checks = {CHECK("task-clock, ns", "task-clock", DEMO_TASK, .tries = 8,
                         .judge = judge_clock, .causes = siblings)},
    },
    {
        .name = "hot3",
        .teaches = "functions: where the time goes",
        .does = {"Three functions with the same loop of multiplications",
                 "do 7, 2 and 1 thousand of its turns, one after the",
                 "other: that is their share of the time, and samples."},
        .formula = "demo_hot_70: 70 %, demo_hot_20: 20 %, demo_hot_10: 10 %",
        .next = "Enter on a function: its instructions; Tab: back to tasks",
        .turns = 4000,
        .run = work_hot,
        .threads = true,
        .checks = {SHARE("cpu-clock", DEMO_SHARES, "demo_hot_70", 0.7, 0),
                   SHARE("cpu-clock", DEMO_SHARES, "demo_hot_20", 0.2, 0),
                   SHARE("cpu-clock", DEMO_SHARES, "demo_hot_10", 0.1, 0)},
    },
    {
        .name = "inline",
        .teaches = "inlined functions: code that has lost its name",
        .does = {"demo_inline has three functions that the compiler puts",
                 "into it: no symbol knows them, but debug information",
                 "says which lines, and instructions, are of which."},
        .formula = "demo_inline_60: 60 %, demo_inline_30: 30 %, demo_inline_10: 10 %",
        .next = "G on demo_inline: what is inlined into it; Enter: its lines",
        .turns = 4000,
        .obstacle = work_needs_lines,
        .run = work_inline,
        .threads = true,
        .checks = {SHARE("cpu-clock", DEMO_INLINED, "demo_inline_60", 0.6, 0),
                   SHARE("cpu-clock", DEMO_INLINED, "demo_inline_30", 0.3, 0),
                   SHARE("cpu-clock", DEMO_INLINED, "demo_inline_10", 0.1, 0)},
    },
    {
        .name = "deepstack",
        .teaches = "stacks: who called the function",
        .does = {"demo_frame1 calls demo_frame2, and so on until",
                 "demo_frame10, which computes. Each has a frame pointer,",
                 "so that the whole stack is in each sample."},
        .formula = "frames = 10",
        .next = "G on a function: who calls it, and whom it calls",
        .turns = 1000,
        .obstacle = work_needs_assembler,
        .run = work_deep,
        .threads = true,
        .checks = {CHECK("frames of the stack", "cpu-clock", DEMO_TASK, .code = DEMO_DEPTH,
                         .function = "demo_frame", .expected = DEMO_FRAMES, .judge = judge_frames)},
    },
    {
        .name = "offcpu",
        .teaches = "time off the CPU: what a thread waits in",
        .does = {"Three functions sleep for 6, 3 and 1 ms, one after the",
                 "other. They need no time of a CPU: where each switch",
                 "is sampled, with its time, they are seen all the same."},
        .formula = "demo_sleep_60: 60 %, demo_sleep_30: 30 %, demo_sleep_10: 10 %",
        .next = "s waits: the same as a part of its life",
        .turns = 20,
        .together = 1,
        .obstacle = work_needs_assembler,
        .run = work_sleep,
        .checks = {SHARE("context-switches", DEMO_WAITS, "demo_sleep_60", 0.6, 1),
                   SHARE("context-switches", DEMO_WAITS, "demo_sleep_30", 0.3, 2),
                   SHARE("context-switches", DEMO_WAITS, "demo_sleep_10", 0.1, 3)},
    },
};

size_t workload_start(const struct workload *workload)
{
    const struct workload_knob *knob = &workload->knob;
    return knob->start || !knob->find_start ? knob->start : knob->find_start(workload);
}

const struct workload *workload_nth(size_t i)
{
    return i < sizeof(workloads) / sizeof(*workloads) ? &workloads[i] : NULL;
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
