/* Workloads of which the kernel keeps count. */
#ifndef DEMO_ROWS_KERNEL_H
#define DEMO_ROWS_KERNEL_H

#include "demo/workload.h"

extern const struct workload rows_kernel[]; /* a row without name ends it */

#endif
