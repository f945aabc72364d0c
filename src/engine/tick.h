/* The periods of the system-wide engine's tickers, which sample tasks between their switches. */
#ifndef ENGINE_TICK_H
#define ENGINE_TICK_H

#include <stddef.h>
#include <stdint.h>

/* The period, ns, for a refresh interval (ns) and a number of groups: a divisor of the interval,
 * except for very short intervals. */
uint64_t tick_of(uint64_t delay, size_t groups);

/* The period, ns, of the tick at a refresh that makes every CPU write a sample: long enough to set
 * it on all CPUs and set it back before it fires again. */
uint64_t tick_hurried(size_t cpus);

#endif
