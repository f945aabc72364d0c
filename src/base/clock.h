/* Times in nanoseconds. Records of the kernel use the monotonic clock too (attr.clockid). */
#pragma once

#include <stdint.h>
#include <sys/types.h>
#include <time.h>

/* Returns CLOCK_MONOTONIC of the machine, as records of the kernel have it, also within a time
 * namespace. Do not set timers by it: these use the namespace's own clock. */
uint64_t clock_monotonic(void);
uint64_t clock_boot(void); /* CLOCK_BOOTTIME: since the start of the machine */
/* Seconds since 1970, CLOCK_REALTIME, cut to milliseconds: an output with three decimals and one
 * with whole seconds show the same second. */
double clock_wall(void);
/* Writes the local time of seconds since 1970 in a format of strftime(3), or the time of day:
 * "12:34:56"; "" if the C library cannot convert it. */
void clock_format(char *text, size_t size, const char *format, double wall);
enum { CLOCK_TEXT_SIZE = 16 };
void clock_text(char text[CLOCK_TEXT_SIZE], double wall);
struct timespec clock_span(uint64_t ns); /* that many ns, for nanosleep(2) and the like */
/* Returns CLOCK_REALTIME plus `wait` ns: a deadline for pthread_cond_timedwait(3). */
struct timespec clock_after(uint64_t wait);
uint64_t clock_cpu(void);         /* CPU time this process has used, all threads */
uint64_t clock_cpu_of(pid_t pid); /* the same of another process; 0: it is gone */
