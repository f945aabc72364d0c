/* Work for the view of functions: what share of the samples is in which, and below which callers.
 */
#ifndef DEMO_WORKS_CODE_H
#define DEMO_WORKS_CODE_H

#include "demo/workload.h"

/* 70, 20 and 10 % of the time in three functions. */
void work_hot(struct work *work, uint64_t turns);
/* 60, 30 and 10 % of the time in three functions that are inlined into another one. */
void work_inline(struct work *work, uint64_t turns);
char *work_needs_lines(const struct workload *workload);
/* Ten functions that call each other. */
void work_deep(struct work *work, uint64_t turns);
/* Sleeps 6, 3 and 1 ms in three functions; work->parts gets how long that was. */
void work_sleep(struct work *work, uint64_t turns);

#endif
