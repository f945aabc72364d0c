/* What the rows of several groups of workloads share. */
#ifndef DEMO_ROWS_H
#define DEMO_ROWS_H

#include "demo/workload.h"

/* Causes of deviations. */
extern const char rows_overcount[], rows_siblings[];

#define INSTRUCTIONS(a_turn)                                                                       \
    {                                                                                              \
        .what = "instructions", .events = "instructions:u", .engines = DEMO_TASK,                  \
        .expected = (a_turn), .judge = judge_interrupted, .causes = rows_overcount                 \
    }

#define CYCLES(of, from, to, count)                                                                \
    {                                                                                              \
        .what = "cycles/" of, .events = "cycles:u", .engines = DEMO_TASK, .judge = judge_ratio,    \
        .expected = NAN, .low = (from), .high = (to), .operations = (count), .tries = 5,           \
        .processor = DEMO_PIPELINE, .causes = rows_siblings                                        \
    }

#endif
