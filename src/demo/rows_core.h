/* Workloads about instructions, latencies and branches, and about the counters themselves. */
#ifndef DEMO_ROWS_CORE_H
#define DEMO_ROWS_CORE_H

#include "demo/workload.h"

extern const struct workload rows_core[]; /* a row without name ends it */

#endif
