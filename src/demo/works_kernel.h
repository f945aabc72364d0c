/* Work of which the kernel keeps count: `prepare` and `run` of struct workload, and why some cannot
 * run here. */
#ifndef DEMO_WORKS_KERNEL_H
#define DEMO_WORKS_KERNEL_H

#include "demo/workload.h"

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

#endif
