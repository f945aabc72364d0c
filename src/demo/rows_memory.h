/* Workloads about caches, page tables, stores that are loaded again, and shared lines. */
#ifndef DEMO_ROWS_MEMORY_H
#define DEMO_ROWS_MEMORY_H

#include "demo/workload.h"

extern const struct workload rows_memory[]; /* a row without name ends it */

#endif
