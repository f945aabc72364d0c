/* The work of workloads: `prepare` and `run` of struct workload, and why some cannot run here. */
#ifndef DEMO_WORKS_H
#define DEMO_WORKS_H

#include "demo/workload.h"

/* Loops in user mode, in the process that works: `prepare` and `run` of struct workload, and why
 * some cannot run here. */

/* The parameter of work_loop is one of these. */
enum work_loop_kind {
    WORK_COUNT,
    WORK_ADD,
    WORK_NOP,
    WORK_MUL,
    WORK_DIV,
    WORK_FORWARD,
    WORK_FORWARD_SPLIT,
    WORK_SCALAR,
    WORK_VECTOR,
    WORK_CODE, /* of that size (value, bytes) */
};
void work_loop(struct work *work, uint64_t turns);
char *work_needs_assembler(const struct workload *workload);

/* The turns of WORK_COUNT in phases of that length (value, ms; 0: none), of which each second one
 * is spent in the kernel. */
void work_phases(struct work *work, uint64_t turns);

/* Branches on bytes, of which that part (value, %) is random, and the others are 0. */
void work_prepare_branches(struct work *work);
void work_branches(struct work *work, uint64_t turns);
enum { WORK_BRANCH_BYTES = 1 << 20 };

/* A chain of pointers through all lines of a piece of memory (value, bytes), in random order: half
 * of a level of the caches (parameter 1 to 3), or twice the last one (WORK_MEMORY). */
enum { WORK_MEMORY = 4, WORK_CHASE_MAX = 768 << 20 };
void work_prepare_chase(struct work *work);
void work_chase(struct work *work, uint64_t turns);
char *work_needs_caches(const struct workload *workload);
size_t work_cache(size_t level); /* bytes of the first CPU's data cache; 0: not known */
size_t work_chase_size(const struct workload *workload); /* bytes of the chain; 0: not known */

/* A chain with one pointer in each of many pages (value); huge ones with parameter 1. */
void work_prepare_pages(struct work *work);

/* Stores, and loads from another page, as far behind the same place in it (value, bytes, less than
 * a page). Of 64 pages it is the one where this takes longest at the same place. */
void work_prepare_alias(struct work *work);
void work_alias(struct work *work, uint64_t turns);

/* Adds two arrays into a third one, each of that size (value, bytes, a power of two): together
 * three times as large as the last level of the caches, at least. */
enum { WORK_ARRAYS = 3, WORK_STREAM_MAX = WORK_CHASE_MAX / WORK_ARRAYS };
void work_prepare_stream(struct work *work);
void work_stream(struct work *work, uint64_t turns);
char *work_needs_stream(const struct workload *workload);
size_t work_stream_size(const struct workload *workload); /* bytes of an array */

/* Two threads on two CPUs add to two numbers, which are that far apart (value, bytes). */
void work_prepare_sharing(struct work *work);
void work_share(struct work *work, uint64_t turns);

/* Work of which the kernel keeps count: `prepare` and `run` of struct workload, and why some cannot
 * run here. */

/* Touches a new page each turn; parameter 1: huge pages are welcome. */
void work_faults(struct work *work, uint64_t turns);
char *work_needs_huge_pages(const struct workload *workload);

/* Two threads on one CPU hand a byte to and fro. In each turn the first one touches one new page,
 * and the second one three, if the parameter is 1. */
void work_prepare_pingpong(struct work *work);
void work_pingpong(struct work *work, uint64_t turns);
enum { WORK_PAGES_FIRST = 1, WORK_PAGES_SECOND = 3 };

/* Moves to the other CPU each turn. */
void work_migrate(struct work *work, uint64_t turns);
char *work_needs_two_cpus(const struct workload *workload);

void work_calls(struct work *work, uint64_t turns); /* getppid(2) */
void work_clock(struct work *work, uint64_t turns); /* a turn is a microsecond of CPU time */

/* Work for the view of functions: what share of the samples is in which, and below which callers.
 */

/* 70, 20 and 10 % of the time in three functions. */
void work_hot(struct work *work, uint64_t turns);
/* 60, 30 and 10 % of the time in three functions that are inlined into another one. */
void work_inline(struct work *work, uint64_t turns);
char *work_needs_lines(const struct workload *workload);
/* Ten functions that call each other. */
void work_deep(struct work *work, uint64_t turns);
/* Sleeps 6, 3 and 1 ms in three functions; work->parts gets how long that was. */
void work_sleep(struct work *work, uint64_t turns);

/* What a difference of counts should be, and what it is: the functions `judge` of struct
 * demo_check. */

typedef void demo_judge(const struct demo_check *check, const struct demo_difference *difference,
                        struct demo_result *result);

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
