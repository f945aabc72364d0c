#include "demo/judge.h"
#include "demo/loops.h"
#include "demo/rows.h"
#include "demo/works.h"

#include <math.h>

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
    {0},
};
