/* What a difference of counts should be, and what it is: the functions `judge` of struct
 * demo_check. */
#ifndef DEMO_JUDGE_H
#define DEMO_JUDGE_H

#include "demo/workload.h"

typedef void demo_judge(const struct workload *workload, const struct demo_check *check,
                        const struct demo_difference *difference, struct demo_result *result);

/* expected a turn, exactly. */
demo_judge judge_exact;
/* ... and at most one more or less for each interrupt and page fault: most processors count these
 * among retired instructions (Weaver, Terpstra, Moore: Non-determinism and overcount on modern
 * hardware performance counter implementations, ISPASS 2013). */
demo_judge judge_interrupted;
/* ... and at most as many more as the kernel's own account of the process has, too, in the second
 * run, and as many less as in the first one. */
demo_judge judge_faults;
/* ... and at most one more or less for each switch that others caused. */
demo_judge judge_switches;
/* As many cycles for each instruction, exactly, whatever that number is. */
demo_judge judge_fixed_clock;
/* The sum over tasks is that over CPUs. */
demo_judge judge_books;
/* The CPU time, by the kernel's own account, to 1 %. */
demo_judge judge_clock;
/* The first event an operation, or by the second event if the check has two, between the bounds. */
demo_judge judge_ratio;
/* One fault for each huge page; where memory is fragmented more, but less than half of the pages.
 */
demo_judge judge_huge_faults;
/* The check's share of the samples, or what the work's own clock says of it, as well as that many
 * samples can know it: to 3 sigma, and 2 %. */
demo_judge judge_share;
/* As many frames. */
demo_judge judge_frames;
/* Half of the random branches are missed: `low` and `high` are of the part that is. */
demo_judge judge_branches;
/* By the second event, a part that code has which is larger than the caches of code, to `high`;
 * where these hold it, less than `low`. */
demo_judge judge_front_end;
/* L1 misses a load: 0 where the chain fits; else 1 - C/WS to 1 (it visits all lines in turn). */
demo_judge judge_cache_misses;

#endif
