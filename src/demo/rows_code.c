#include "demo/rows.h"
#include "demo/judge.h"
#include "demo/loops_code.h"
#include "demo/works.h"

/* A function's share of the samples of all that are called alike. */
#define SHARE(event, kind, name, part_of_it, its_part)                                             \
    CHECK(name, event, DEMO_TASK, .code = (kind), .function = name, .expected = (part_of_it),      \
          .part = (its_part), .tries = 3, .judge = judge_share)

const struct workload rows_code[] = {
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
    {0},
};
