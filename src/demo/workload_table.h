/* The workloads, in groups of rows (demo/rows_*.c). */
#ifndef DEMO_WORKLOAD_TABLE_H
#define DEMO_WORKLOAD_TABLE_H

#include "demo/workload.h"

/* In the order of --demo list; NULL: there are no more. */
const struct workload *workload_nth(size_t i);
/* Its name, for str_nearest(); ctx is not used. */
const char *workload_name(void *ctx, size_t i);

/* The workload of that name; NULL if there is none. */
const struct workload *workload_find(const char *name);

#endif
