/* What the rows of several groups of workloads share. */
#ifndef DEMO_ROWS_H
#define DEMO_ROWS_H

#include "demo/workload.h"

/* Causes of deviations. */
extern const char rows_overcount[], rows_siblings[];

/* A check: its title, its events, the engines that count them, and the other members. */
#define CHECK(title, event, engine, ...)                                                           \
    {                                                                                              \
        .what = (title), .events = event, .engines = (engine), __VA_ARGS__                         \
    }

#define INSTRUCTIONS(a_turn)                                                                       \
    CHECK("instructions", "instructions:u", DEMO_TASK, .expected = (a_turn),                       \
          .judge = judge_interrupted, .causes = rows_overcount)

#define CYCLES(of, from, to, count)                                                                \
    CHECK("cycles/" of, "cycles:u", DEMO_TASK, .judge = judge_ratio, .expected = NAN,              \
          .low = (from), .high = (to), .operations = (count), .tries = 5,                          \
          .processor = DEMO_PIPELINE, .causes = rows_siblings)

#endif
