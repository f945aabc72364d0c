/* Times in nanoseconds. Records of the kernel use the monotonic clock too (attr.clockid). */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>

uint64_t clock_monotonic(void); /* CLOCK_MONOTONIC */
uint64_t clock_boot(void);      /* CLOCK_BOOTTIME: since the start of the machine */
double clock_wall(void);        /* seconds since 1970, CLOCK_REALTIME */
uint64_t clock_cpu(void);       /* CPU time this process has used, all threads */

#endif
