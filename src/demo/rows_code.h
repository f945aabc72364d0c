/* Workloads for the view of functions. */
#ifndef DEMO_ROWS_CODE_H
#define DEMO_ROWS_CODE_H

#include "demo/workload.h"

extern const struct workload rows_code[]; /* a row without name ends it */

#endif
