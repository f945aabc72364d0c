/* Times in nanoseconds. Records of the kernel use the monotonic clock too (attr.clockid). */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>
#include <sys/types.h>
#include <time.h>

/* CLOCK_MONOTONIC of the machine, as in records, also in a time namespace. Not for a time at which
 * a timer is to end. */
uint64_t clock_monotonic(void);
uint64_t clock_boot(void); /* CLOCK_BOOTTIME: since the start of the machine */
/* Seconds since 1970, CLOCK_REALTIME, cut to milliseconds: an output with three decimals and one
 * with whole seconds show the same second. */
double clock_wall(void);
/* The time of day: "12:34:56"; "" if it is not known. */
enum { CLOCK_TEXT_SIZE = 16 };
void clock_text(char text[CLOCK_TEXT_SIZE], double wall);
struct timespec clock_span(uint64_t ns); /* so long */
/* The time of CLOCK_REALTIME in that many ns, as pthread_cond_timedwait(3) takes it. */
struct timespec clock_after(uint64_t wait);
uint64_t clock_cpu(void);         /* CPU time this process has used, all threads */
uint64_t clock_cpu_of(pid_t pid); /* ... another one; 0: not known */

#endif
