/* The workloads. */
#ifndef DEMO_WORKLOAD_TABLE_H
#define DEMO_WORKLOAD_TABLE_H

#include "demo/workload.h"

extern const struct workload workloads[]; /* a row without name ends it */

/* The workload of that name; NULL: there is none. */
const struct workload *workload_find(const char *name);

#endif
